import { type Control, controls, defaultPrivacy } from "@portcullis/contract/privacy-controls";
import { Problem } from "@portcullis/contract/problem";
import type { PrivacyClass } from "@portcullis/contract/subsystems/classes";
import type { PrivacyDefaults } from "@portcullis/contract/subsystems/privacy";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ledgerInMemory } from "../../../../testing/ledger.ts";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { privacyService, type ControlledDevice } from "./privacy.service.ts";

const cause: Cause = { actor: "ada", action: "switch_force_dns", resourceType: "force_dns" };
const control = fc.constantFrom(...controls);
const said = fc.record({
  dns_mode: fc.constantFrom("off", "device", "system"),
  force_dns: fc.boolean(),
  block_doh: fc.boolean(),
  block_ipv6: fc.boolean(),
  block_webrtc: fc.boolean(),
}) satisfies fc.Arbitrary<PrivacyDefaults>;
const own = fc.record({
  force_dns: fc.option(fc.boolean()),
  block_doh: fc.option(fc.boolean()),
  block_ipv6: fc.option(fc.boolean()),
  block_webrtc: fc.option(fc.boolean()),
});
const fixture = fc.record({ system: said, strict: said, loose: said, phone: own, lamp: own, printer: own });
const scope = fc.constantFrom(
  {},
  ...["Phone", "Lamp", "Printer"].map((device_id) => ({ device_id })),
  ...["Strict", "Loose"].map((privacy_class) => ({ privacy_class })),
);
type Fixture = typeof fixture extends fc.Arbitrary<infer H> ? H : never;

test("privacy controls: inverting twice restores every device, inverting once does not", () => {
  using home = furnished();
  fc.assert(
    fc.property(fixture, scope, control, (them, whom, which) => {
      home.furnish(them);
      const before = home.held();
      const once = attempt(() => home.service.switch(cause, which, whom));
      // It is refused only where it could change nothing.
      const twice = once && home.service.switch(cause, which, whom);
      expect(twice?.on ?? which === "force_dns").toBe(once ? !once.on : true);
      expect(home.held().map(ons)).toEqual(before.map(ons));
    }),
  );
});

test("privacy controls: a setting affects exactly the devices without a more specific one", () => {
  using home = furnished();
  fc.assert(
    fc.property(fixture, scope, control, fc.boolean(), (them, whom, which, enabled) => {
      home.furnish(them);
      const before = home.held();
      const state = home.service.switch(cause, which, { ...whom, enabled });
      expect(state).toMatchObject({ control: which, enabled });
      for (const [place, now] of home.held().entries()) {
        const { [which]: was, ...others } = before[place]!.controls;
        const { [which]: is, ...same } = now.controls;
        expect(same).toEqual(others);
        expect(is).toEqual(isSet(now.name, whom, was.from) ? { on: state.on, from: state.scope } : was);
      }
    }),
  );
});

const ons = ({ name, controls: held }: Held) => [name, ...controls.map((it) => held[it].on)];

/** Whether a voice is the nearest one a device hears, as a person would say it. */
function isSet(name: string, whom: { device_id?: string; privacy_class?: string }, nearest: string): boolean {
  if (whom.device_id !== undefined) return whom.device_id === name;
  if (nearest === "device") return false;
  const itsClass = { Phone: "Strict", Lamp: "Loose" }[name];
  return whom.privacy_class === itsClass;
}

const attempt = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch (error) {
    if (error instanceof Problem && error.code === "conflict") return undefined;
    throw error;
  }
};

interface Held {
  readonly name: string;
  readonly controls: ReturnType<ReturnType<typeof privacyService>["controlsFor"]>;
}

/** A phone with a class, a lamp that has one by its trust class, a printer without; the ledger is a real one. */
function furnished() {
  const ledger = ledgerInMemory(
    { device: "at-once", privacy_class: "at-once", trust_class: "at-once", privacy: "at-once" },
    { now: () => new Date(0), keepRevisions: 3 },
  );
  const service = privacyService({
    ledger,
    updateDevice: (by, id, changes) => change(ledger, by, "device", id, changes),
    updateClass: (by, id, changes) => change(ledger, by, "privacy_class", id, changes),
  });
  const voices = ledger.staged<ControlledDevice>("device");
  return {
    service,
    furnish: ({ system, strict, loose, phone, lamp, printer }: Fixture) =>
      ledger.change(cause, (draft) => {
        draft.put("privacy", { id: "privacy", ...system } as { id: string });
        draft.put("privacy_class", privacyClass("Strict", strict));
        draft.put("privacy_class", privacyClass("Loose", loose));
        draft.put("trust_class", { id: "Guest", default_privacy_class: "Loose" } as { id: string });
        draft.put("device", device("Phone", phone, "Strict", null));
        draft.put("device", device("Lamp", lamp, null, "Guest"));
        draft.put("device", device("Printer", printer, null, null));
      }),
    held: (): Held[] => voices.all().map((it) => ({ name: it.name, controls: service.controlsFor(it) })),
    [Symbol.dispose]: () => ledger.close(),
  };
}

const change = (ledger: Ledger, by: Cause, kind: string, id: string, changes: object) =>
  ledger.change(by, (draft) => draft.put(kind, { ...ledger.staged(kind).get(id)!, ...changes }));

const device = (
  name: string,
  switches: Partial<Record<Control, boolean | null>>,
  privacy_class: string | null,
  trust_class: string | null,
): ControlledDevice => ({ id: name, name, privacy_class, trust_class, ...switches });

const privacyClass = (name: string, words: PrivacyDefaults): PrivacyClass => ({
  id: name,
  name,
  description: "",
  require_tunnel: false,
  log_level: "none",
  default_fail_policy: "fail-closed",
  ...defaultPrivacy,
  ...words,
});
