import { networkInterfaces } from "node:os";
import type { Call } from "@portcullis/contract/handler";
import { expect, test } from "vitest";
import type { Enforcement } from "./enforcement.ts";
import { enforcementHandlers } from "./enforcement-handlers.ts";

/** Rules that are in force since the clock showed 1000, and what became of a request to confirm them. */
function confirming(call: Partial<Call>, reason?: string, inForceSinceMs: number | null = 1000) {
  const done: string[] = [];
  const handlers = enforcementHandlers({
    enforcement: {
      isProvisional: () => true,
      inForceSinceMs: () => inForceSinceMs ?? undefined,
      confirm: (by: string, how: string) => void done.push(`${by}, ${how}`),
      status: () => ({}),
    } as unknown as Enforcement,
    ledger: { change: () => {} } as never,
    settled: async () => {},
  });
  const cause = { actor: "ada", action: "confirm_enforcement", resourceType: "enforcement" };
  const setHeader = (name: string, value: string) => void done.push(`${name}: ${value}`);
  const body = reason === undefined ? undefined : { from_console: reason };
  try {
    void handlers.confirm({ params: {}, query: {}, body } as never, { cause, setHeader, ...call } as Call);
  } catch (error) {
    done.push((error as Error).message);
  }
  return done;
}

const [own = "127.0.0.2"] = Object.values(networkInterfaces()).flatMap((all) => all?.map((it) => it.address) ?? []);

test.each([["127.0.0.1"], ["127.9.9.9"], ["::1"], ["::ffff:127.0.0.1"], [""], ["unix"], [own], [`::ffff:${own}`]])(
  "a request from the gateway itself (%j) confirms only with a reason",
  (address) => {
    const call = { address, connectedAtMs: 2000 };
    expect(confirming(call)).toEqual(["connection: close", expect.stringContaining("comes from the gateway itself")]);
    expect(confirming(call, "no device yet")).toEqual(["ada, console: no device yet"]);
  },
);

test("a request from another machine confirms over a connection of after the rules, not of before", () => {
  const address = "192.0.2.77";
  expect(confirming({ address, connectedAtMs: 2000 })).toEqual([`ada, network: ${address}`]);
  expect(confirming({ address, connectedAtMs: 999 }).at(-1)).toContain("was open before the rules were in force");
});

test("nothing is confirmed before all rules are in force", () => {
  const done = confirming({ address: "192.0.2.77", connectedAtMs: 2000 }, undefined, null);
  expect(done.at(-1)).toContain("not in force yet");
});
