import { clause } from "@portcullis/contract/reason";
import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { daemonProgram } from "../../../testing/programs.ts";
import { parseBootstrap } from "./bootstrap.ts";
import { describeMistake } from "./mistake.ts";
import { interfacesProblem, missingInterfaces } from "./network-checks.ts";

function parsed(text: string) {
  const result = parseBootstrap(text, "f.yaml");
  return result.kind === "ok" ? "accepted" : result.mistakes.map(describeMistake);
}

describe("network settings: one interface in both roles", () => {
  const message =
    "is also network.wan_iface; the uplink and the LAN must be two interfaces (VLANs of one port count as two)";
  test.each([
    ["network:\n  wan_iface: lan0\n  lan_iface: lan0\n", [`f.yaml:3:14 network.lan_iface: ${message}`]],
    [
      "network:\n  wan_iface: wan0\n  lan_iface: lan0\n  more_lan_ifaces: [lan1, wan0]\n",
      [`f.yaml:4:27 network.more_lan_ifaces[1]: ${message}`],
    ],
    ["network:\n  wan_iface: wan0\n  lan_iface: lan0\n  more_lan_ifaces: [lan1]\n", "accepted"],
    ["network:\n  wan_iface: trunk0.7\n  lan_iface: trunk0.8\n", "accepted"],
    ["network:\n  lan_iface: lan0\n", "accepted"],
  ])("%j", (text, expected) => expect(parsed(text)).toEqual(expected));
});

const network = {
  mode: "primary",
  wan_iface: "wan0",
  lan_iface: "lan0",
  more_lan_ifaces: ["lan0.10"],
  lan_address: "",
  uplink_ports: [],
  default_egress: "direct",
} as const;

describe("network settings: interfaces of this machine", () => {
  test("with both there is no problem, and one of the other LANs may come later", () => {
    expect(interfacesProblem(network, ["lo", "wan0", "lan0"])).toBeUndefined();
    expect(missingInterfaces(network, ["lo", "wan0", "lan0", "lan0.10"])).toBeUndefined();
    expect(missingInterfaces(network, ["lo", "wan0", "lan0"])).toBe(
      "network.more_lan_ifaces has lan0.10, and there is no such interface. Interfaces of this machine: lan0, wan0",
    );
  });

  test("what is missing is named by its key, with the interfaces there are", () => {
    expect(clause(interfacesProblem(network, ["lo", "enp2s0", "enp1s0"])!)).toBe(
      "network.wan_iface is wan0, and there is no such interface; network.lan_iface is lan0, and there is no such interface. Interfaces of this machine: enp1s0, enp2s0",
    );
    expect(clause(interfacesProblem(network, ["lo", "lan0"])!)).toContain(
      "wan0, and there is no such interface. Interfaces",
    );
    expect(clause(interfacesProblem(network, ["lo"])!)).toContain("This machine has no interfaces");
  });
});

test("network settings: --check-config looks at the machine's interfaces, unless the dataplane is off", () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "portcullis.yaml");
  const check = (config: object) => {
    writeFileSync(file, JSON.stringify(config));
    const { status, stdout, stderr } = spawnSync(process.execPath, [daemonProgram, "--check-config", file], {
      encoding: "utf8",
    });
    return { status, said: `${stdout}${stderr}`.replace(file, "f.yaml") };
  };
  const existing = readdirSync("/sys/class/net").filter((name) => name !== "lo");
  const wrong = { wan_iface: "no-such-wan", lan_iface: "lo" };
  expect(check({ network: wrong })).toEqual({
    status: 1,
    said: expect.stringMatching(
      /^f.yaml: network.wan_iface is no-such-wan, and there is no such interface\. (?:Interfaces of this machine: |This machine has no)/,
    ),
  });
  for (const name of existing) expect(check({ network: wrong }).said).toContain(name);
  expect(check({ network: wrong, dataplane: { enabled: false } })).toEqual({
    status: 0,
    said: "f.yaml: valid\n",
  });
  for (const wan_iface of existing.slice(0, 1))
    expect(check({ network: { wan_iface, lan_iface: "lo" } })).toMatchObject({ status: 0 });
});
