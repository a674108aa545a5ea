import { because, reported } from "@portcullis/contract/reason";
import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../../testing/seed.ts";
import type { System } from "../../system/system.ts";
import { vlanChanges, vlanStates } from "./vlan.diff.ts";
import { vlanEngine } from "./vlan.engine.ts";
import type { ObservedLink, VlanLink, Vlans } from "./vlan.model.ts";
import { parseRecord } from "../link-listing.parse.ts";
import { parseLinks } from "./vlan.parse.ts";

const seed = announceSeed("VLAN changes");
const wanted: VlanLink = { interface: "eth1.10", parent: "eth1", id: 10, addresses: ["10.10.0.1/24", "fd10::1/64"] };
const link = (changed: Partial<ObservedLink> = {}): ObservedLink => ({
  name: "eth1",
  up: true,
  hasLink: true,
  vlan: undefined,
  addresses: [],
  ...changed,
});
const made = (changed: Partial<ObservedLink> = {}) =>
  link({ name: "eth1.10", vlan: { parent: "eth1", id: 10 }, addresses: wanted.addresses, ...changed });
const changes = (links: readonly ObservedLink[], ours: readonly string[] = [], all = [wanted]) =>
  vlanChanges(all, { links, ours });

test("VLANs: what ip shows is read; a VLAN of a provider's kind is none of ours", () => {
  const shown = (name: string, protocol: string) => ({
    ifname: name,
    link: "eth1",
    flags: ["BROADCAST", "UP", "LOWER_UP"],
    linkinfo: { info_kind: "vlan", info_data: { protocol, id: 10, flags: ["REORDER_HDR"] } },
    addr_info: [
      { local: "10.10.0.1", prefixlen: 24, scope: "global" },
      { local: "fe80::1", prefixlen: 64, scope: "link" },
      { local: "10.10.0.99", prefixlen: 24, scope: "global", dynamic: true },
    ],
  });
  const text = JSON.stringify([shown("eth1.10", "802.1Q"), shown("eth1.11", "802.1ad"), { ifname: "lo" }, {}]);
  expect(parseLinks(text)).toEqual([
    made({ addresses: ["10.10.0.1/24"] }),
    link({ name: "eth1.11", addresses: ["10.10.0.1/24"] }),
    link({ name: "lo", up: false, hasLink: false }),
  ]);
  expect([parseRecord(undefined), parseRecord('["eth1.10"]'), parseRecord('["eth'), parseRecord("{}")]).toEqual([
    [],
    ["eth1.10"],
    [],
    [],
  ]);
});

test("VLANs: one that is missing is created, and a parent that is down is brought up", () => {
  const add = ["link", "add", "link", "eth1", "name", "eth1.10", "type", "vlan", "id", "10"];
  const lines = ["address add 10.10.0.1/24 dev eth1.10", "address add fd10::1/64 dev eth1.10"];
  expect(changes([link()])).toEqual([
    { kind: "make", vlan: "eth1.10", add, lines: [...lines, "link set dev eth1.10 up"] },
  ]);
  expect(changes([link({ up: false })])).toEqual([
    { kind: "make", vlan: "eth1.10", add, lines: [...lines, "link set dev eth1 up", "link set dev eth1.10 up"] },
  ]);
  expect(changes([])).toEqual([]); // Without its parent.
});

test("VLANs: an existing one is used as it is and repaired; surplus addresses go only if it is ours", () => {
  const changed = [link(), made({ up: false, addresses: ["10.10.0.1/24", "10.9.0.1/24"] })];
  const lines = ["address add fd10::1/64 dev eth1.10", "link set dev eth1.10 up"];
  expect(changes([link(), made()])).toEqual([]);
  expect(changes(changed)).toEqual([{ kind: "adjust", vlan: "eth1.10", lines }]);
  const [first, second] = lines;
  expect(changes(changed, ["eth1.10"])).toEqual([
    { kind: "adjust", vlan: "eth1.10", lines: [first, "address del 10.9.0.1/24 dev eth1.10", second] },
  ]);
});

test("VLANs: only those that we made are removed, and created again with another number or parent", () => {
  expect(changes([link(), made()], [], [])).toEqual([]);
  expect(changes([link(), made()], ["eth1.10"], [])).toEqual([{ kind: "remove", vlan: "eth1.10" }]);
  expect(changes([link()], ["eth1.10"], [])).toEqual([{ kind: "forget", vlan: "eth1.10" }]);
  const other = made({ vlan: { parent: "eth1", id: 11 } });
  expect(changes([link(), other])).toEqual([]); // Another program's.
  expect(changes([link(), other], ["eth1.10"]).map(({ kind }) => kind)).toEqual(["remove", "make"]);
  expect(changes([], ["eth1.10"])).toEqual([]); // The parent may come back.
});

test("VLANs: the state includes problems", () => {
  const problems = (links: readonly ObservedLink[], failures = new Map()) =>
    vlanStates([wanted], links, failures)[0]!.problems;
  expect(vlanStates([wanted], [link(), made({ hasLink: false })], new Map())).toEqual([
    { interface: "eth1.10", exists: true, up: true, hasLink: false, problems: [] },
  ]);
  expect(problems([link(), link({ name: "eth1.10" })])).toEqual([
    because("vlan_foreign", { interface: "eth1.10", id: 10, parent: "eth1" }),
  ]);
  expect(problems([link(), made({ name: "vlan10" })])).toEqual([
    because("vlan_taken", { interface: "vlan10", id: 10, parent: "eth1" }),
  ]);
  expect(problems([])).toEqual([because("vlan_parent_missing", { parent: "eth1" })]);
  expect(problems([link()], new Map([["eth1.10", reported("ip: no")]]))).toEqual([reported("ip: no")]);
});

test("VLANs: a kernel without them is reported as such, once, and is no drift", async () => {
  const files = new Map<string, string>();
  const did: string[] = [];
  const system = {
    run: async (_: string, args: readonly string[]) => {
      did.push(args.join(" "));
      if (args.includes("show")) return JSON.stringify([{ ifname: "eth1", flags: ["UP"] }]);
      throw new Error("ip: Error: Unknown device type.");
    },
    readText: (path: string) => files.get(path),
    writeAtomically: (path: string, text: string) => void files.set(path, text),
    makeFolder: () => {},
  } as unknown as System;
  const engine = vlanEngine({ system, folder: "/run/test" });
  const first = engine.changes([wanted], await engine.observe());
  expect(engine.drift(first, await engine.observe())).toHaveLength(1);
  await engine.apply(first);
  expect((await engine.states([wanted]))[0]).toMatchObject({
    exists: false,
    problems: [because("vlan_not_supported")],
  });
  expect(did.filter((it) => it.includes("-batch"))).toEqual([]); // Nothing is set on an interface that does not exist.
  const actual = await engine.observe();
  expect(engine.drift(engine.changes([wanted], actual), actual)).toEqual([]);
});

const name = fc.constantFrom("eth1.10", "eth1.20", "eth2.10");
const vlan = fc.record({
  interface: name,
  parent: fc.constantFrom("eth1", "eth2"),
  id: fc.constantFrom(10, 20),
  addresses: fc.subarray(["10.1.0.1/24", "10.2.0.1/24"]),
});

test("VLANs: whatever exists, one round reaches the wanted state, never touches another program's, and a second changes nothing", () =>
  fc.assert(
    fc.property(
      fc.uniqueArray(vlan, { selector: (it) => it.interface }),
      fc.uniqueArray(vlan, { selector: (it) => it.interface }),
      fc.subarray(["eth1.10", "eth1.20", "eth2.10"]),
      (all, existing, ours) => {
        const before: Vlans = {
          links: [
            link(),
            link({ name: "eth2" }),
            ...existing.map((it) =>
              made({ name: it.interface, vlan: { parent: it.parent, id: it.id }, addresses: it.addresses }),
            ),
          ],
          ours,
        };
        const after = applied(before, vlanChanges(all, before));
        expect(vlanChanges(all, after)).toEqual([]);
        for (const it of before.links.filter(({ name: own }) => !ours.includes(own))) {
          const now = after.links.find((one) => one.name === it.name);
          expect(now).toMatchObject({ vlan: it.vlan, addresses: expect.arrayContaining([...it.addresses]) });
        }
      },
    ),
    { seed },
  ));

/** What the kernel does with these changes. */
function applied(before: Vlans, all: ReturnType<typeof vlanChanges>): Vlans {
  const links = new Map(before.links.map((it) => [it.name, it]));
  const ours = new Set(before.ours);
  for (const change of all) {
    if (change.kind === "remove") links.delete(change.vlan);
    if (!("lines" in change)) {
      ours.delete(change.vlan);
      continue;
    }
    const { lines } = change;
    if (change.kind === "make") {
      ours.add(change.vlan);
      const [, , , parent, , , , , , id] = change.add;
      links.set(change.vlan, made({ name: change.vlan, vlan: { parent: parent!, id: Number(id) }, addresses: [] }));
    }
    const { addresses, ...it } = links.get(change.vlan)!;
    const added = lines.flatMap((line) => /^address add (\S+) /.exec(line)?.[1] ?? []);
    const removed = lines.flatMap((line) => /^address del (\S+) /.exec(line)?.[1] ?? []);
    links.set(change.vlan, { ...it, addresses: [...addresses, ...added].filter((one) => !removed.includes(one)) });
  }
  return { links: [...links.values()], ours: [...ours] };
}
