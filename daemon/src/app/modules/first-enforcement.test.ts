import { networkInterfaces } from "node:os";
import type { Call } from "@portcullis/contract/handler";
import { expect, test } from "vitest";
import type { Enforcement } from "../../planes/forwarding/enforcement.ts";
import { enforcementHandlers } from "./first-enforcement.ts";

interface Rules {
  readonly inForceSinceMs?: number | null;
  /** When waiting for them helps. */
  readonly settlesAtMs?: number;
}

/** Rules that are in force since the clock showed 1000, and what became of a request to confirm them. */
async function confirming(call: Partial<Call>, reason?: string, { inForceSinceMs = 1000, settlesAtMs }: Rules = {}) {
  const done: string[] = [];
  const handlers = enforcementHandlers({
    enforcement: {
      isProvisional: () => true,
      inForceSinceMs: () => inForceSinceMs ?? undefined,
      confirm: (by: string, how: string) => void done.push(`${by}, ${how}`),
      status: () => ({}),
    } as unknown as Enforcement,
    ledger: { change: () => {} } as never,
    whenIdle: async () => void (inForceSinceMs ??= settlesAtMs ?? null),
  });
  const cause = { actor: "ada", action: "confirm_enforcement", resourceType: "enforcement" };
  const setHeader = (name: string, value: string) => void done.push(`${name}: ${value}`);
  const body = reason === undefined ? undefined : { from_console: reason };
  try {
    await handlers.confirm({ params: {}, query: {}, body } as never, { cause, setHeader, ...call } as Call);
  } catch (error) {
    done.push((error as Error).message);
  }
  return done;
}

const [own = "127.0.0.2"] = Object.values(networkInterfaces()).flatMap((all) => all?.map((it) => it.address) ?? []);

test.each([["127.0.0.1"], ["127.9.9.9"], ["::1"], ["::ffff:127.0.0.1"], [""], ["unix"], [own], [`::ffff:${own}`]])(
  "first enforcement: a request from the gateway itself (%j) confirms only with a reason",
  async (address) => {
    const call = { address, connectedAtMs: 2000 };
    expect(await confirming(call)).toEqual([
      "connection: close",
      expect.stringContaining("comes from the gateway itself"),
    ]);
    expect(await confirming(call, "no device yet")).toEqual(["ada, console: no device yet"]);
  },
);

test("first enforcement: a request from another machine confirms over a connection of after the rules, not of before", async () => {
  const address = "192.0.2.77";
  expect(await confirming({ address, connectedAtMs: 2000 })).toEqual([`ada, network: ${address}`]);
  expect((await confirming({ address, connectedAtMs: 999 })).at(-1)).toContain(
    "was opened before the rules were in force",
  );
});

test("first enforcement: a request that comes before all rules are in force waits for them, and is refused if that does not help", async () => {
  const call = { address: "192.0.2.77", connectedAtMs: 2000 };
  expect(await confirming(call, undefined, { inForceSinceMs: null, settlesAtMs: 1500 })).toEqual([
    `ada, network: ${call.address}`,
  ]);
  expect((await confirming(call, undefined, { inForceSinceMs: null, settlesAtMs: 2500 })).at(-1)).toContain(
    "was opened before",
  );
  expect((await confirming(call, undefined, { inForceSinceMs: null })).at(-1)).toContain("not in force yet");
});
