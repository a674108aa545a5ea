import { because, reported } from "@portcullis/contract/reason";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bridgeChanges, bridgeStates } from "./bridge.diff.ts";
import type { BridgeLink, Bridges, ObservedLink } from "./bridge.model.ts";
import { parseRecord } from "../link-listing.parse.ts";
import { parseLinks } from "./bridge.parse.ts";

const recorded = parseLinks(readFileSync(join(import.meta.dirname, "recordings", "addresses.json"), "utf8"));
const actual = (changed: Partial<Bridges> = {}): Bridges => ({ links: recorded, ours: [], filtering: [], ...changed });
const wanted: BridgeLink = {
  interface: "br0",
  members: ["m1", "m2"],
  refused: [],
  addresses: ["10.0.0.1/24"],
  stp: true,
};
const link = (changed: Partial<ObservedLink>): ObservedLink => ({
  name: "eth0",
  isBridge: false,
  stp: false,
  up: true,
  carrier: true,
  master: null,
  portState: null,
  addresses: [],
  ...changed,
});

test("what ip shows is read", () => {
  const named = (name: string) => recorded.find((it) => it.name === name);
  expect(named("br0")).toEqual({
    name: "br0",
    isBridge: true,
    stp: true,
    up: true,
    carrier: false,
    master: null,
    portState: null,
    addresses: ["10.0.0.1/24"],
  });
  expect(named("m1")).toMatchObject({ master: "br0", portState: "listening", addresses: ["10.3.0.1/24"] });
  expect(named("m2")).toMatchObject({ master: "br0", portState: "disabled", up: false });
});

test("a bridge that is not there is made, with its members, whatever they have", () => {
  const links = [link({}), link({ name: "eth1", up: false })];
  const bridge = { ...wanted, members: ["eth0", "eth1", "gone"] };
  expect(bridgeChanges([bridge], actual({ links, filtering: ["net.bridge.bridge-nf-call-iptables"] }))).toEqual([
    { kind: "settings", keys: ["net.bridge.bridge-nf-call-iptables"] },
    {
      kind: "make",
      bridge: "br0",
      lines: [
        "link add name br0 type bridge stp_state 1",
        "address add 10.0.0.1/24 dev br0",
        "link set dev eth0 master br0",
        "link set dev eth1 master br0",
        "link set dev eth1 up",
        "link set dev br0 up",
      ],
    },
  ]);
});

test("one that is as it should be, but for a member that is down, gets that one up", () => {
  expect(bridgeChanges([wanted], actual())).toEqual([{ kind: "adjust", bridge: "br0", lines: ["link set dev m2 up"] }]);
});

test("of a bridge of ours what is too much goes, of another's it stays", () => {
  const links = recorded.map((it) => ({ ...it, up: true }));
  const less = { ...wanted, members: ["m1"], addresses: [] };
  expect(bridgeChanges([less], actual({ links }))).toEqual([]);
  expect(bridgeChanges([less], actual({ links, ours: ["br0"] }))).toEqual([
    { kind: "adjust", bridge: "br0", lines: ["link set dev m2 nomaster"] },
    { kind: "adjust", bridge: "br0", lines: ["address del 10.0.0.1/24 dev br0"] },
  ]);
});

test("only bridges we made are removed", () => {
  expect(bridgeChanges([], actual())).toEqual([]);
  expect(bridgeChanges([], actual({ ours: ["br0", "m1", "gone"] }))).toEqual([{ kind: "remove", bridge: "br0" }]);
});

test("bridges: the state includes problems", () => {
  const bridge = { ...wanted, members: ["m1", "gone", "taken"] };
  const links = [...recorded, link({ name: "taken", master: "br7" })];
  expect(bridgeStates([bridge], actual({ links }), new Map([["br0", reported("ip: no")]]))).toEqual([
    {
      interface: "br0",
      exists: true,
      up: true,
      carrier: false,
      stp: true,
      members: [
        { name: "m1", state: "listening" },
        { name: "m2", state: "disabled" },
      ],
      problems: [
        because("member_addressed", { member: "m1", addresses: ["10.3.0.1/24"] }),
        because("member_missing", { member: "gone" }),
        because("member_taken", { member: "taken", bridge: "br7" }),
        reported("ip: no"),
      ],
    },
  ]);
  const [none] = bridgeStates([{ ...wanted, interface: "m1" }], actual(), new Map());
  expect(none).toMatchObject({
    exists: false,
    problems: expect.arrayContaining([because("bridge_foreign", { interface: "m1" })]),
  });
});

test("bridges: a truncated record has no bridge", () => {
  expect([parseRecord(undefined), parseRecord('["br0"]'), parseRecord('["br'), parseRecord("{}")]).toEqual([
    [],
    ["br0"],
    [],
    [],
  ]);
});

test("a member that was kept out is let go, and said to be", () => {
  const bridge = { ...wanted, members: ["m1"], refused: ["m2"] };
  expect(bridgeChanges([bridge], actual({ ours: ["br0"] }))).toContainEqual({
    kind: "adjust",
    bridge: "br0",
    lines: ["link set dev m2 nomaster"],
  });
  expect(bridgeStates([bridge], actual(), new Map())[0]!.problems).toContainEqual(
    because("member_refused", { member: "m2" }),
  );
});
