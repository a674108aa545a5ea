import { because, explained, type Reason, reported } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { ledgerInMemory } from "../../../../testing/ledger.ts";
import { privacyService, type ControlledDevice } from "./privacy.service.ts";
import { privacyStatus, noObservations, type LeakObservations } from "./status.ts";

const cause = { actor: "ada", action: "create_device", resourceType: "device" };
const idOf = (place: number): string => `id-${String(place).padStart(5, "0")}`;

/** So many devices that all are blocked; `meanwhile` happens whenever others get their turn. */
function fixture(
  count: number,
  observations: LeakObservations = noObservations,
  meanwhile = () => {},
  enforcement = { notEnforced: (): Reason | null => null, isForwarding: () => false },
) {
  const ledger = ledgerInMemory(
    { device: "at-once", privacy_class: "at-once", trust_class: "at-once", privacy: "at-once" },
    { now: () => new Date(0), keepRevisions: 3 },
  );
  const ids = Array.from({ length: count }, (_, place) => idOf(place));
  const device = (id: string): ControlledDevice => ({
    id,
    name: `Device ${id}`,
    privacy_class: null,
    trust_class: null,
  });
  ledger.change(cause, (draft) => ids.forEach((id) => draft.put("device", device(id))));
  const blocked = {
    posture: "blocked",
    ...explained(because("default_egress", { egress: "block" })),
    policy_id: null,
    exception_id: null,
  } as const;
  const turns = { count: 0 };
  const status = privacyStatus({
    ledger,
    privacy: privacyService({ ledger, updateDevice: () => {}, updateClass: () => {} }),
    postures: async () => ({
      protected: 0,
      blocked: count,
      exposed: 0,
      unknown_device: "blocked" as const,
      devices: ids.map((device_id) => ({ device_id, ...blocked })),
    }),
    ...enforcement,
    observations,
    pause: async () => {
      turns.count += 1;
      meanwhile();
    },
  });
  return {
    ledger,
    status,
    turns,
    [Symbol.dispose]: () => ledger.close(),
  };
}

test("privacy status: yields to other work while it lists many devices", async () => {
  using few = fixture(10);
  await few.status();
  expect(few.turns.count).toBe(0);
  using many = fixture(10_000);
  expect((await many.status()).devices).toHaveLength(10_000);
  expect(many.turns.count).toBe(20);
});

test("privacy status: a device that is deleted meanwhile is left out", async () => {
  using home = fixture(600, noObservations, () =>
    home.ledger.change(cause, (draft) => draft.remove("device", idOf(599))),
  );
  const { devices } = await home.status();
  expect(devices.at(-1)!.device_id).toBe(idOf(598));
});

test("privacy status: what devices tried and what was found stands beside them", async () => {
  using home = fixture(4, {
    attemptsByDevice: () => new Map([[idOf(2), 17]]),
    lastCheck: () => ({
      finished_at: "2030-01-01T00:00:00.000Z",
      verdict: "leaking",
      devices: [
        { device_id: idOf(0), verdict: "no-leak" },
        { device_id: idOf(1), verdict: "at-risk" },
        { device_id: idOf(2), verdict: "leaking" },
      ],
    }),
    passedChecks: () => ({ since: "2029-12-01T00:00:00.000Z", checks: 7 }),
  });
  const { devices, last_check, last_verdict, no_leak_since, passed_checks, leaking } = await home.status();
  expect({ last_check, last_verdict, no_leak_since, passed_checks, leaking }).toEqual({
    last_check: "2030-01-01T00:00:00.000Z",
    last_verdict: "leaking",
    no_leak_since: "2029-12-01T00:00:00.000Z",
    passed_checks: 7,
    leaking: 1,
  });
  expect(devices.map(({ attempts, verdict }) => [attempts, verdict])).toEqual([
    [0, "no-leak"],
    [0, "at-risk"],
    [17, "leaking"],
    [0, "unchecked"],
  ]);
  // The filter does not change the counts.
  const found = await home.status({ verdict: "leaking" });
  expect(found.devices.map(({ device_id }) => device_id)).toEqual([idOf(2)]);
  expect(found.leaking).toBe(1);
});

test.each([
  [
    "blocked",
    false,
    { blocked: 2, exposed: 0, unknown_device: "blocked", devices: [{ posture: "blocked" }, { posture: "blocked" }] },
  ],
  [
    "exposed",
    true,
    { blocked: 0, exposed: 2, unknown_device: "exposed", devices: [{ posture: "exposed" }, { posture: "exposed" }] },
  ],
])(
  "privacy status: while nothing is enforced every device is %s, whatever its policy says",
  async (_, on, expected) => {
    using few = fixture(2, noObservations, () => {}, {
      notEnforced: () => reported("no such interface"),
      isForwarding: () => on,
    });
    expect(await few.status()).toMatchObject({ not_enforced: "no such interface", ...expected });
    using other = fixture(2);
    expect(await other.status()).toMatchObject({
      not_enforced: null,
      devices: [{ reason: "No policy matched, and network.default_egress is block" }, {}],
    });
  },
);
