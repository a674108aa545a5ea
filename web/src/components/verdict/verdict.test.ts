import fc from "fast-check";
import { expect, test } from "vitest";
import { countsOf, isEnforced, type Known, ofOldParts, stateOfVerdict, verdictOf } from "./verdict.ts";

const hop = { type: "vpn", target: "ams", tunnel_id: "t", status: "up" };
const through = { policy: "all", outcome: "egress", hops: [hop], reason: "", shadowed_by: null } as const;
const kernel = { running: true, last_run: "2026-01-01T00:00:00Z", engines: [] };
const calm: Known = {
  lostSince: undefined,
  status: { dataplane_enabled: true, ready: true, not_enforced: null },
  kernel,
  postures: { protected: 3, blocked: 1, exposed: 0, unknown_device: "blocked" },
  egress: [through],
  foundLeaking: 0,
  lastCheck: "no-leak",
  filtering: "on",
};

test("verdict: protected if every device, unknown ones included, uses a tunnel or is blocked, and this is verified", () => {
  const verdict = verdictOf(calm);
  expect(verdict).toEqual({ kind: "protected", devices: 3, blocked: 1, unknown: "blocked", policies: [] });
  expect(stateOfVerdict(verdict)).toBe("protected");
});

const fallen = { ...through, policy: "TV", outcome: "direct", reason: "ams is down" } as const;
const none = { protected: 0, blocked: 0, exposed: 0, unknown_device: "blocked" } as const;
const enforced = calm.status;
const lost = new Date("2026-01-01T10:00:00Z");

test.each<[string, Partial<Known>, object]>([
  ["the gateway is not reachable", { lostSince: lost }, { kind: "unreachable", since: lost }],
  ["the dataplane is off", { status: { ...enforced, dataplane_enabled: false } }, { kind: "not enforced", reason: "" }],
  [
    "the first enforcement was reverted",
    { status: { ...enforced, ready: false, not_enforced: "It was reverted" } },
    { kind: "not enforced", reason: "It was reverted" },
  ],
  ["a leak was found", { foundLeaking: 2 }, { kind: "found leaking", leaking: 2 }],
  ["the gateway itself leaks", { lastCheck: "leaking" }, { kind: "gateway leaking" }],
  ["something is not in force yet", { status: { ...enforced, ready: false } }, { kind: "catching up" }],
  ["the kernel was not read", { kernel: undefined }, { kind: "not verified", reason: "" }],
  ["the kernel was never compared", { kernel: { ...kernel, last_run: null } }, { kind: "not verified", reason: "" }],
  [
    "the kernel refused something",
    { kernel: { ...kernel, engines: [{ name: "nftables", status: "failed", message: "no" }] } },
    { kind: "not verified", reason: "nftables: no" },
  ],
  ["no device is known", { postures: none }, { kind: "no device", unknown: "blocked" }],
  ["no device has internet access", { postures: { ...none, blocked: 2 } }, { kind: "no internet", all: 2 }],
  ["a policy falls back", { egress: [through, fallen] }, { kind: "fallback", policies: ["TV"] }],
  ["one goes direct", { postures: { ...calm.postures, exposed: 2 } }, { kind: "some direct", exposed: 2, all: 6 }],
  [
    "an unknown device would go direct",
    { postures: { ...calm.postures, unknown_device: "exposed" } },
    { kind: "unknown direct" },
  ],
  ["filtering is off", { filtering: "off" }, { kind: "filtering off" }],
  ["the last leak check found a risk", { lastCheck: "at-risk" }, { kind: "at risk" }],
  [
    "no policy exists yet",
    { postures: { ...none, exposed: 4, unknown_device: "exposed" }, egress: [] },
    { kind: "nothing yet" },
  ],
])("verdict: never green when %s", (_, known, expected) => {
  const verdict = verdictOf({ ...calm, ...known });
  expect(verdict).toEqual(expected);
  expect(stateOfVerdict(verdict)).not.toBe("protected");
});

test("verdict: a fallback that its policy allows is direct, not a leak; a shadowed one does not count", () => {
  expect(stateOfVerdict(verdictOf({ ...calm, egress: [through, fallen] }))).toBe("direct");
  expect(verdictOf({ ...calm, egress: [through, { ...fallen, shadowed_by: "all" }] }).kind).toBe("protected");
});

test('verdict: policies that are direct by choice are named beside "Protected"', () => {
  const chosen = { ...through, policy: "bank", outcome: "direct", hops: [] } as const;
  expect(verdictOf({ ...calm, egress: [through, chosen] })).toMatchObject({ kind: "protected", policies: ["bank"] });
});

const count = fc.nat({ max: 3 });
const row = fc.record({
  policy: fc.constantFrom("a", "b"),
  outcome: fc.constantFrom("egress", "split", "direct", "block", "next"),
  hops: fc.array(fc.constantFrom(hop, { ...hop, type: "interface", target: "wan0" }), { maxLength: 2 }),
  reason: fc.constant(""),
  shadowed_by: fc.constantFrom(null, null, "a"),
});
const anything: fc.Arbitrary<Known> = fc.record({
  lostSince: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, fc.constant(lost)),
  status: fc.record({
    dataplane_enabled: fc.constantFrom(true, true, true, false),
    ready: fc.constantFrom(true, true, false),
    not_enforced: fc.constantFrom(null, null, null, "It was reverted"),
  }),
  kernel: fc.option(
    fc.record({
      running: fc.constantFrom(true, true, false),
      last_run: fc.constantFrom(kernel.last_run, kernel.last_run, null),
      engines: fc.array(
        fc.record({
          name: fc.constant("nftables"),
          status: fc.constantFrom("ok", "ok", "failed"),
          message: fc.constant("no"),
        }),
        { maxLength: 1 },
      ),
    }),
    { nil: undefined, freq: 6 },
  ),
  postures: fc.record({
    protected: count,
    blocked: count,
    exposed: fc.constantFrom(0, 0, 0, 1),
    unknown_device: fc.constantFrom("protected", "blocked", "exposed"),
  }),
  egress: fc.array(row, { maxLength: 3 }),
  foundLeaking: fc.constantFrom(0, 0, 0, 1),
  lastCheck: fc.constantFrom("no-leak", "no-leak", null, "at-risk", "leaking"),
  filtering: fc.constantFrom("on", "on", "absent", "off"),
});

/** The promises of a green verdict, stated without the verdict's own code. */
const promises: Readonly<Record<string, (known: Known) => boolean>> = {
  "the gateway responds": ({ lostSince }) => lostSince === undefined,
  "rules are enforced": ({ status }) => status.dataplane_enabled && status.ready && status.not_enforced === null,
  "the kernel was compared": (known) => known.kernel?.running === true && known.kernel.last_run !== null,
  "no engine failed": (known) => known.kernel?.engines.every(({ status }) => status === "ok") === true,
  "at least one device uses a tunnel": ({ postures }) => postures.protected > 0,
  "no known device is direct": ({ postures }) => postures.exposed === 0,
  "no unknown device would be direct": ({ postures }) => postures.unknown_device !== "exposed",
  "no leak was found": ({ foundLeaking, lastCheck }) =>
    foundLeaking === 0 && lastCheck !== "leaking" && lastCheck !== "at-risk",
  "filtering is not off": ({ filtering }) => filtering !== "off",
  "no policy in use has fallen back": ({ egress }) =>
    !egress.some(
      ({ outcome, hops, shadowed_by }) =>
        shadowed_by === null && outcome === "direct" && hops.some(({ type }) => type === "vpn"),
    ),
};

test("verdict: green holds every promise, whatever the state of the gateway", () => {
  let green = 0;
  fc.assert(
    fc.property(anything, (known) => {
      if (stateOfVerdict(verdictOf(known)) !== "protected") return;
      green += 1;
      const broken = Object.keys(promises).filter((promise) => !promises[promise]!(known));
      expect(broken).toEqual([]);
    }),
    { numRuns: 5000 },
  );
  // Control: such states exist, and some of them are green.
  expect(green).toBeGreaterThan(0);
});

test("policies: are enforced if the dataplane is on and nothing was reverted, also while they are being applied", () => {
  expect(isEnforced(calm.status)).toBe(true);
  expect(isEnforced({ ...calm.status, dataplane_enabled: false })).toBe(false);
  expect(isEnforced({ ...calm.status, not_enforced: "It was reverted" })).toBe(false);
});

test("verdict: neither protected nor all blocked while a part could not be read again; a fault that was found stays", () => {
  for (const postures of [calm.postures, { ...none, blocked: 2 }]) {
    const verdict = verdictOf({ ...calm, postures });
    expect(["protected", "blocked"]).toContain(stateOfVerdict(verdict));
    expect(ofOldParts(verdict)).toEqual({ kind: "not read" });
    expect(stateOfVerdict(ofOldParts(verdict))).toBe("unknown");
  }
  for (const known of [{ foundLeaking: 1 }, { egress: [fallen] }, { kernel: undefined }]) {
    const verdict = verdictOf({ ...calm, ...known });
    expect(ofOldParts(verdict)).toEqual(verdict);
  }
});

test("device counts: devices that the check found are leaking; a device direct by a fallback is direct", () => {
  const postures = { protected: 1, blocked: 1, exposed: 2 };
  expect(countsOf(postures, [])).toEqual({ protected: 1, blocked: 1, direct: 2, leaking: 0 });
  expect(countsOf(postures, [{ posture: "exposed" }, { posture: "protected" }])).toEqual({
    protected: 0,
    blocked: 1,
    direct: 1,
    leaking: 2,
  });
});
