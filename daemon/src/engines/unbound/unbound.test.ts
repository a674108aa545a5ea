import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../../testing/seed.ts";
import { rootAnchors } from "./trust-anchors.model.ts";
import { parseBogusAnswers, parseRuntimeState } from "./control.parse.ts";
import { type RuntimeState, localZonesOf, runtimeChanges } from "./unbound.diff.ts";
import type { Validator } from "./unbound.model.ts";
import { impediment, renderStart, renderUnbound } from "./unbound.render.ts";

announceSeed("unbound");

const golden = (name: string): string => join(import.meta.dirname, "goldens", name);
const validator: Validator = {
  number: 2,
  userId: 1_900_018_020,
  port: 18_020,
  frontendPort: 18_018,
  isValidating: true,
  anchors: rootAnchors,
  insecure: [],
  ignoresDates: false,
};

test("a validator", () => expect(renderUnbound(validator)).toMatchFileSnapshot(golden("validator.conf")));

test("Unbound: start configuration with local zones and an untrusted clock", () =>
  expect(
    renderStart({ ...validator, insecure: ["home.lan", "168.192.in-addr.arpa"], ignoresDates: true }),
  ).toMatchFileSnapshot(golden("start.conf")));

test("one that does not validate has no anchors", () => {
  const text = renderUnbound({ ...validator, isValidating: false });
  expect(text).toContain('module-config: "iterator"');
  expect(text).not.toContain("trust-anchor:");
});

test("what changes while it runs does not make it another program", () =>
  expect(renderUnbound({ ...validator, insecure: ["home.lan"], ignoresDates: true })).toBe(renderUnbound(validator)));

test("nothing that is not a domain reaches Unbound", () => {
  for (const domain of ["", "a b", 'a"', "a\nb", "a..b", "a.", "x".repeat(64)])
    expect(impediment({ ...validator, insecure: [domain] })).toMatchObject({ code: "dns_domain_invalid" });
  expect(impediment({ ...validator, insecure: ["_x.home-1.lan"] })).toBeUndefined();
  expect(impediment({ ...validator, anchors: ['. IN DS 1 8 2 AA"\nserver:'] })).toMatchObject({
    code: "dns_trust_anchor_invalid",
  });
  expect(impediment({ ...validator, anchors: [".\tIN\tDS\t1 8 2 AA", "lab. DS 1 8 2 AA"] })).toBeUndefined();
  expect(impediment({ ...validator, anchors: [] })).toMatchObject({ code: "dns_no_trust_anchor" });
  expect(impediment({ ...validator, anchors: [".\tIN\tDS\t1 8 2 AA", "example. DS 1 8 2 AA"] })).toBeUndefined();
  expect(impediment({ ...validator, anchors: [], isValidating: false })).toBeUndefined();
});

test("Unbound: runtime changes lead from any state to the wanted one, and then there are none", () => {
  const domains = fc.uniqueArray(fc.constantFrom("home.lan", "corp", "10.in-addr.arpa", "1.168.192.in-addr.arpa"));
  const state = fc.record({ insecure: domains, ignoresDates: fc.boolean() });
  fc.assert(
    fc.property(state, state, (before, after) => {
      const live = liveOf({ ...validator, ...before });
      const reached = afterHearing(
        live,
        runtimeChanges({ ...validator, ...after }, live).flatMap(({ commands }) => commands),
      );
      expect(runtimeChanges({ ...validator, ...after }, reached)).toEqual([]);
      expect(reached.localZones).toEqual(
        new Map([...localZonesOf(after), ["localhost.", "redirect"] as [string, string]]),
      );
    }),
  );
});

const liveOf = (of: Validator): RuntimeState => ({
  insecure: of.insecure.map((it) => `${it}.`),
  localZones: new Map([...localZonesOf(of), ["localhost.", "redirect"]]),
  ignoresDates: of.ignoresDates,
});

/** Unbound, as far as this goes. */
function afterHearing(live: RuntimeState, commands: readonly string[]): RuntimeState {
  const insecure = new Set(live.insecure);
  const localZones = new Map(live.localZones);
  let { ignoresDates } = live;
  for (const [command, name = "", value = ""] of commands.map((it) => it.split(" "))) {
    if (command === "insecure_add") insecure.add(name);
    if (command === "insecure_remove") insecure.delete(name);
    if (command === "local_zone") localZones.set(name, value);
    if (command === "local_zone_remove") localZones.delete(name);
    if (command === "set_option") ignoresDates = value === "-1";
  }
  return { insecure: [...insecure], localZones, ignoresDates };
}

test("what Unbound says of itself is read, and an error is no answer", () => {
  const said = ["home.lan.\n", "test. static\nhome.lan. transparent\n", "4294967295\n"];
  expect(parseRuntimeState(said)).toEqual({
    insecure: ["home.lan."],
    localZones: new Map([
      ["test.", "static"],
      ["home.lan.", "transparent"],
    ]),
    ignoresDates: true,
  });
  expect(parseRuntimeState(["error unknown command\n", "", "0\n"])).toBeUndefined();
  expect(parseRuntimeState([])).toBeUndefined();
  expect(parseBogusAnswers("total.num.queries=9\nnum.answer.bogus=12\nnum.rrset.bogus=3\n")).toBe(12);
  expect(parseBogusAnswers("error unknown command\n")).toBe(0);
});
