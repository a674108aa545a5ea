import type { SetupState } from "@portcullis/contract/subsystems/setup";
import { describe, expect, test } from "vitest";
import { assign, isInForce, type NetworkDraft, requestFor, type Roles } from "./port-roles.ts";

const roles = { wan: "enp1s0", lan: "enp2s0" };

test.each<[string, Parameters<typeof assign>[2], Roles]>([
  ["enp2s0", "wan", { wan: "enp2s0", lan: "enp1s0" }],
  ["enp3s0", "lan", { wan: "enp1s0", lan: "enp3s0" }],
  ["enp1s0", "unused", { wan: null, lan: "enp2s0" }],
  ["enp1s0", "wan", roles],
])("port roles: %s becomes %s, and no role has two interfaces", (name, role, expected) =>
  expect(assign(roles, name, role)).toEqual(expected),
);

describe("setup request of the first start", () => {
  const state = {
    interfaces: [
      { name: "enp1s0", free_address: null },
      { name: "enp2s0", free_address: "192.168.50.1/24" },
      { name: "enp3s0", free_address: null },
    ],
    settings: { enabled: false, wan: "enp1s0", lan: "enp2s0", uplink_ports: [22] },
    steps: { network: true },
  } as unknown as SetupState;
  const draft: NetworkDraft = {
    roles,
    address: undefined,
    dhcp: undefined,
    unknown: "direct",
    webOnLan: false,
    keptPort: undefined,
  };

  test("takes the proposed address, with DHCP, where the LAN has none", () =>
    expect(requestFor(draft, state)).toEqual({
      ...roles,
      lan_address: "192.168.50.1/24",
      dhcp: true,
      unknown: "direct",
    }));

  test("sets no address and leases none where the LAN has an address, unless the user wants it", () => {
    const other = { ...draft, roles: { wan: "enp1s0", lan: "enp3s0" }, address: "192.168.9.1/24" };
    expect(requestFor(other, state)).toEqual({ wan: "enp1s0", lan: "enp3s0", dhcp: false, unknown: "direct" });
    expect(requestFor({ ...other, dhcp: true }, state)).toMatchObject({ dhcp: true });
  });

  test("adds the port that stays reachable to those configured, and the web interface on the LAN", () => {
    expect(requestFor({ ...draft, keptPort: 8080, webOnLan: true }, state)).toMatchObject({
      uplink_ports: [22, 8080],
      web_on_lan: true,
    });
    expect(requestFor({ ...draft, keptPort: 22 }, state)).not.toHaveProperty("uplink_ports");
  });

  test("does not exist while a role has no interface", () =>
    expect(requestFor({ ...draft, roles: { wan: null, lan: "enp2s0" } }, state)).toBeUndefined());

  test("is in force once the daemon runs with its interfaces, and enforces", () => {
    expect(isInForce(state, roles)).toBe(false);
    const enabled = { ...state, settings: { ...state.settings, enabled: true } };
    expect(isInForce(enabled, roles)).toBe(true);
    expect(isInForce(enabled, { wan: "enp3s0", lan: "enp2s0" })).toBe(false);
  });
});
