import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../../testing/seed.ts";
import type { CountedFlow } from "../../engines/conntrack/flows.parse.ts";
import { noUsage, sumOf, type Usage } from "../../ledger/traffic-rollup.ts";
import { flowMeter, type FlowDelta } from "./flow-meter.ts";

announceSeed("flow meter");

const flowWith = (id: number, bytes: number): CountedFlow => ({
  id,
  source: "10.0.0.5",
  destination: "203.0.113.9",
  mark: 0,
  isDns: false,
  isRedirected: false,
  sent: { packets: bytes, bytes: 100 * bytes },
  received: { packets: 2 * bytes, bytes: 900 * bytes },
});

const sum = (deltas: readonly FlowDelta[]): Usage => deltas.reduce((all, { usage }) => sumOf(all, usage), noUsage);

/** What connections do, and what the meter sees of it. */
type Step =
  | { readonly kind: "transfer"; readonly flow: number; readonly amount: number }
  | { readonly kind: "end"; readonly flow: number }
  | { readonly kind: "begin" | "list" | "restart" };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant("transfer" as const), flow: fc.nat(4), amount: fc.nat(50) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("end" as const), flow: fc.nat(4) }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constantFrom("begin" as const, "list" as const, "restart" as const) }),
    },
  ),
  { maxLength: 60 },
);

test("flow meter: every byte is counted once, whatever ends during a listing and whenever the daemon restarts", () =>
  fc.assert(
    fc.property(steps, (all) => {
      let meter = flowMeter([]);
      const open = new Map<number, { id: number; amount: number }>();
      let nextId = 100;
      let transferred = 0;
      let counted = noUsage;
      let listing: CountedFlow[] | undefined;
      const list = () => [...open.values()].map(({ id, amount }) => flowWith(id, amount));
      const complete = () => {
        counted = sumOf(counted, sum(meter.listed(listing ?? list())));
        listing = undefined;
      };
      for (const step of all)
        if (step.kind === "transfer") {
          const flow = open.get(step.flow) ?? { id: nextId++, amount: 0 };
          flow.amount += step.amount;
          transferred += step.amount;
          open.set(step.flow, flow);
        } else if (step.kind === "end") {
          const flow = open.get(step.flow);
          if (flow) meter.ended(flowWith(flow.id, flow.amount));
          open.delete(step.flow);
        } else if (step.kind === "begin") {
          meter.begin();
          listing = list();
        } else {
          if (!listing) meter.begin();
          complete();
          if (step.kind === "restart") meter = flowMeter(meter.counted());
        }
      if (!listing) meter.begin();
      complete();
      meter.begin();
      complete();
      expect(counted.sentBytes).toBe(100 * transferred);
      expect(counted.receivedBytes).toBe(900 * transferred);
      expect(counted.connections).toBe(nextId - 100);
    }),
    { numRuns: 200 },
  ));

test("flow meter: connections of an unknown age are not counted, but what they transfer afterwards is", () => {
  const meter = flowMeter();
  meter.begin();
  expect(meter.listed([flowWith(1, 500)])).toEqual([]);
  meter.begin();
  expect(sum(meter.listed([flowWith(1, 503), flowWith(2, 1)]))).toMatchObject({ sentBytes: 400, connections: 1 });
});

test("flow meter: counters that begin again are another connection", () => {
  const meter = flowMeter([]);
  meter.begin();
  meter.listed([flowWith(1, 500)]);
  meter.begin();
  expect(sum(meter.listed([flowWith(1, 3)]))).toMatchObject({ sentBytes: 300, connections: 1 });
});
