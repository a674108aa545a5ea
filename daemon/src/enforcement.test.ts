import { expect, test } from "vitest";
import { openEnforcement } from "./enforcement.ts";
import type { System } from "./system/system.ts";

const network = { wan_iface: "wan0", lan_iface: "lan0", more_lan_ifaces: [] } as const;

/** A machine with these files and interfaces; both may be changed. */
function machine(links: string[], files: Record<string, string> = {}) {
  const complaints: string[] = [];
  const bridges: string[] = [];
  const open = (enabled = true) =>
    openEnforcement({
      system: {
        readText: (path: string) => files[path],
        writeAtomically: (path: string, text: string) => void (files[path] = text),
        list: () => links,
      } as unknown as System,
      stateFolder: "/state",
      network: network as unknown as Parameters<typeof openEnforcement>[0]["network"],
      enabled,
      bridges: () => bridges,
      now: () => new Date("2030-01-01T00:00:00Z"),
      complain: (sentence) => complaints.push(sentence),
    });
  return { files, links, bridges, complaints, open };
}

test("a machine that never enforced waits for its interfaces, and complains once", () => {
  const { links, complaints, files, open } = machine(["lo", "wan0"]);
  const enforcement = open();
  for (let round = 0; round < 3; round += 1) expect(() => enforcement.permit()).toThrow("network.lan_iface is lan0");
  expect(complaints).toEqual([expect.stringMatching(/^Nothing is enforced: .*Interfaces of this machine: wan0$/)]);
  expect(enforcement.component()).toMatchObject({ status: "failed", message: complaints[0] });
  links.push("lan0");
  enforcement.permit();
  expect([enforcement.withheld(), files]).toEqual([undefined, {}]);
  enforcement.applied();
  expect(JSON.parse(files["/state/enforcement.json"]!)).toMatchObject({ state: "confirmed" });
});

test("a machine that has enforced goes on when an interface disappears, also after a restart, and reports it", () => {
  const { links, complaints, open } = machine(["wan0", "lan0"]);
  const before = open();
  before.permit();
  before.applied();
  links.pop();
  for (const enforcement of [before, open()]) {
    enforcement.permit();
    expect(enforcement.withheld()).toBeUndefined();
    expect(enforcement.component()).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/^The guard stays in force.*lan_iface is lan0/),
    });
  }
  expect(complaints).toHaveLength(2);
});

test("a saved guard of an older version counts as enforced; a record that is damaged does not", () => {
  machine([], { "/state/guard.nft": "table inet portcullis_guard {}" }).open().permit();
  const { open } = machine([], { "/state/enforcement.json": "{" });
  expect(() => open().permit()).toThrow("Nothing is enforced");
});

test("an interface that a published bridge makes is not missing", () => {
  const { bridges, open } = machine(["wan0"]);
  const enforcement = open();
  expect(() => enforcement.permit()).toThrow("lan0");
  bridges.push("lan0");
  enforcement.permit();
});

test("where the dataplane is off nothing is withheld, and nothing is written", () => {
  const { files, open } = machine([]);
  const enforcement = open(false);
  enforcement.permit();
  enforcement.applied();
  expect([enforcement.withheld(), enforcement.component().status, files]).toEqual([undefined, "off", {}]);
});
