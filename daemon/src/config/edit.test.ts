import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseBootstrap } from "./bootstrap.ts";
import { withValues } from "./edit.ts";

const roles = {
  "network.wan_iface": "enp1s0",
  "network.lan_iface": "enp2s0",
  "network.lan_address": "192.168.50.1/24",
  "network.default_egress": "block",
  "network.uplink_ports": [22],
  "dataplane.enabled": true,
};
const wanted = {
  wan_iface: "enp1s0",
  lan_iface: "enp2s0",
  lan_address: "192.168.50.1/24",
  default_egress: "block",
  uplink_ports: [22],
};

function valuesOf(text: string) {
  const parsed = parseBootstrap(text, "/etc/portcullis/portcullis.yaml");
  if (parsed.kind === "mistakes") throw new Error(JSON.stringify(parsed.mistakes));
  return parsed.bootstrap;
}
/** The lines of `before` that are missing in `after`. */
const lost = (before: string, after: string) => before.split("\n").filter((line) => !after.split("\n").includes(line));

describe("editing the bootstrap file", () => {
  const packaged = readFileSync("packaging/portcullis.yaml", "utf8");

  test("in the packaged file every line stays, and a new key follows its commented-out line", () => {
    const edited = withValues(packaged, roles);
    expect(valuesOf(edited).network).toMatchObject(wanted);
    expect(valuesOf(edited).auth).toEqual(valuesOf(packaged).auth);
    expect(lost(packaged, edited)).toEqual([]);
    expect(edited).toContain("  #wan_iface: eth0\n  wan_iface: enp1s0\n");
    expect(edited).toContain("  #enabled: true\n  enabled: true\n");
    expect(edited.split("\n").length - packaged.split("\n").length).toBe(6);
  });

  test("a value that is there is replaced in its place, and the remark behind it stays", () => {
    const text = 'network:\n    # mine\n    wan_iface: "eth7"   # the fibre\n    lan_iface: eth8\n\n\n# end\n';
    expect(withValues(text, { "network.wan_iface": "enp1s0", "network.default_egress": "block" })).toBe(
      "network:\n    default_egress: block\n    # mine\n    wan_iface: enp1s0   # the fibre\n    lan_iface: eth8\n\n\n# end\n",
    );
  });

  test("what looks like a number or a flag stays text", () =>
    expect(valuesOf(withValues("", { "network.wan_iface": "1e3", "network.lan_iface": "on" })).network).toMatchObject({
      wan_iface: "1e3",
      lan_iface: "on",
    }));

  test.each([
    "",
    "# only a remark",
    "---\n",
    "log:\n  level: info",
    "network:\nlog:\n",
    "network:\n  # wan_iface: eth0\nlog:\n  level: info\n",
    "network: {}\n",
    "network: {wan_iface: eth5, uplink_ports: [80]}\n",
    '{"network": {"wan_iface": "eth5"}, "log": {"level": "info"}}',
    "network:\n  uplink_ports:\n    - 80 # web\n    - 443\n  wan_iface:\n    eth5\ndataplane: {enabled: false}\n",
    "dataplane:\n  enabled: false # not yet\n  # enabled: true\nlog:\n  level: info\n",
  ])("%j gets the values, and keeps its other ones", (text) => {
    const edited = withValues(text, roles);
    expect(valuesOf(edited).network).toEqual({ ...valuesOf(text).network, ...wanted });
    expect(valuesOf(edited).dataplane).toEqual({ ...valuesOf(text).dataplane, enabled: true });
    expect(valuesOf(edited).log).toEqual(valuesOf(text).log);
    // A second time nothing is left to change.
    expect(withValues(edited, roles)).toBe(edited);
  });

  test("comments of any file with sections in blocks survive", () => {
    const word = fc.stringMatching(/^[a-z ]{0,12}$/);
    const line = fc.oneof(
      word.map((it) => `# ${it}`),
      word.map((it) => `  # ${it}`),
      fc.constantFrom("", "  #wan_iface: eth0", "  # lan_iface: eth1"),
    );
    const comments = fc.array(line, { maxLength: 4 });
    fc.assert(
      fc.property(comments, comments, comments, (first, second, third) => {
        const text = [...first, "network:", ...second, "log:", ...third, "  level: warn", ""].join("\n");
        const edited = withValues(text, roles);
        expect(valuesOf(edited).network).toMatchObject(wanted);
        expect(valuesOf(edited).log.level).toBe("warn");
        expect(lost(text, edited)).toEqual([]);
      }),
    );
  });
});
