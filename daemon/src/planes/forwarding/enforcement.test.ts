import { because } from "@portcullis/contract/reason";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Enforcement, openEnforcement } from "./enforcement.ts";
import type { System } from "../../system/system.ts";

const byAda = because("revert_requested", { actor: "ada" });
const network = { wan_iface: "wan0", lan_iface: "lan0", more_lan_ifaces: [] } as const;

/** A machine with these files and interfaces; both may be changed. */
function machine(links: string[], files: Record<string, string> = {}, confirmSec = 0) {
  const complaints: string[] = [];
  const bridges: string[] = [];
  const did: string[] = [];
  const clock = { now: Date.UTC(2030, 0, 1) };
  const open = (enabled = true) =>
    openEnforcement({
      system: {
        readText: (path: string) => files[path],
        writeAtomically: (path: string, text: string) => void (files[path] = text),
        list: () => links,
      } as unknown as System,
      stateFolder: "/state",
      network: network as unknown as Parameters<typeof openEnforcement>[0]["network"],
      dataplane: { enabled, confirm_first_sec: confirmSec },
      created: () => bridges,
      withdraw: async () => void did.push("withdrawn"),
      guardDeadline: ({ deadline }) => void did.push(`guarded until ${deadline} (${stateIn(files)})`),
      wake: () => void did.push("woken"),
      announce: (name) => void did.push(name),
      auditRevert: (reason) => void did.push(`audited: ${reason}`),
      now: () => new Date(clock.now),
      complain: (sentence) => complaints.push(sentence),
    });
  return { files, links, bridges, complaints, did, clock, open };
}
const stateIn = (files: Record<string, string>) =>
  (JSON.parse(files["/state/enforcement.json"] ?? "{}") as { state?: string }).state;

test("enforcement: a machine that never enforced waits for its interfaces, and logs that once", () => {
  const { links, complaints, files, open } = machine(["lo", "wan0"]);
  const enforcement = open();
  for (let round = 0; round < 3; round += 1) expect(() => enforcement.permit()).toThrow("network.lan_iface is lan0");
  expect(complaints).toEqual([expect.stringMatching(/^Nothing is enforced: .*Interfaces of this machine: wan0$/)]);
  expect(enforcement.component()).toMatchObject({ status: "failed", message: complaints[0] });
  links.push("lan0");
  enforcement.permit();
  expect([enforcement.withheld(), files]).toEqual([undefined, {}]);
  enforcement.applied();
  expect(JSON.parse(files["/state/enforcement.json"]!)).toMatchObject({ state: "confirmed" });
});

test("enforcement: a machine that has enforced continues when an interface disappears, also after a restart, and reports it", () => {
  const { links, complaints, open } = machine(["wan0", "lan0"]);
  const before = open();
  before.permit();
  before.applied();
  links.pop();
  for (const enforcement of [before, open()]) {
    enforcement.permit();
    expect(enforcement.withheld()).toBeUndefined();
    expect(enforcement.component()).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/^The guard stays in force.*lan_iface is lan0/),
    });
  }
  expect(complaints).toHaveLength(2);
});

const savedGuard = { "/state/guard.nft": "table inet portcullis_guard {}" };

test.each([
  ["no record", {}],
  ["an empty record", { "/state/enforcement.json": "" }],
  ["half a record", { "/state/enforcement.json": '{"state":"confirm' }],
  ["a record without its fields", { "/state/enforcement.json": '{"state":"provisional"}' }],
  ["a record of another kind", { "/state/enforcement.json": '{"state":"toString"}' }],
])("enforcement: with %s the saved guard decides whether the machine counts as confirmed", (_, damaged) => {
  const confirmed = machine([], { ...savedGuard, ...damaged }).open();
  confirmed.permit();
  expect([confirmed.withheld(), confirmed.isProvisional()]).toEqual([undefined, false]);
  expect(() => machine([], damaged).open().permit()).toThrow("Nothing is enforced");
});

test("enforcement: an explicit start after a revert is provisional again, whatever guard was saved", () => {
  const enforcement = machine([], { ...savedGuard, "/state/enforcement.json": '{"state":"new"}' }).open();
  expect(() => enforcement.permit()).toThrow("Nothing is enforced");
});

test("enforcement: the interface of a published bridge is not missing", () => {
  const { bridges, open } = machine(["wan0"]);
  const enforcement = open();
  expect(() => enforcement.permit()).toThrow("lan0");
  bridges.push("lan0");
  enforcement.permit();
});

test("enforcement: with the dataplane off nothing is withheld, and nothing is written", () => {
  const { files, open } = machine([]);
  const enforcement = open(false);
  enforcement.permit();
  enforcement.applied();
  expect([enforcement.withheld(), enforcement.component().status, files]).toEqual([undefined, "off", {}]);
});

describe("the first enforcement", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());
  const both = () => machine(["wan0", "lan0"], {}, 120);

  test("is recorded and guarded by another process before it is permitted, and reverted at its deadline", async () => {
    const { files, did, complaints, open } = both();
    const enforcement = open();
    enforcement.permit();
    expect(did).toEqual(["guarded until 2030-01-01T00:02:00.000Z (provisional)", "enforcement.provisional"]);
    enforcement.applied();
    expect(enforcement.status()).toMatchObject({ state: "provisional", remaining_sec: 120, message: "" });
    expect([enforcement.component().status, enforcement.withheld()]).toEqual(["degraded", undefined]);
    await vi.advanceTimersByTimeAsync(119_000);
    enforcement.permit();
    expect(stateIn(files)).toBe("provisional");
    await vi.advanceTimersByTimeAsync(1000);
    expect([stateIn(files), did.slice(2)]).toEqual([
      "reverted",
      ["withdrawn", "enforcement.reverted", "woken", "audited: it was not confirmed in time"],
    ]);
    expect(() => enforcement.permit()).toThrow("was reverted (it was not confirmed in time)");
    expect(() => open().permit()).toThrow("portcullis enforcement start");
    expect(complaints).toHaveLength(2);
  });

  test("stays when it is confirmed", async () => {
    const { files, did, open } = both();
    const enforcement = open();
    enforcement.permit();
    enforcement.applied();
    enforcement.confirm("ada", "network: 10.0.0.2");
    await vi.advanceTimersByTimeAsync(1_000_000);
    enforcement.permit();
    expect([stateIn(files), did.includes("withdrawn")]).toEqual(["confirmed", false]);
    expect(enforcement.status()).toMatchObject({ state: "confirmed", confirmed_by: "ada", deadline: null });
    expect(did.filter((it) => it.startsWith("audited"))).toEqual([]);
    expect(() => enforcement.confirm("ada", "")).toThrow("waits for confirmation");
    await expect(enforcement.revert(byAda)).rejects.toThrow("waits for confirmation");
  });

  test("that begins before the daemon has recovered is not reverted", async () => {
    const { files, did, open } = both();
    const enforcement = open();
    enforcement.permit();
    await enforcement.recover();
    expect([stateIn(files), did.includes("withdrawn")]).toEqual(["provisional", false]);
    enforcement.permit();
  });

  test("that a killed daemon left unconfirmed is reverted by the next one before anything is permitted", async () => {
    const { files, did, open } = both();
    open().permit();
    did.length = 0;
    const next = open();
    expect(() => next.permit()).toThrow("is being reverted");
    await next.recover();
    expect([stateIn(files), did[0]]).toEqual(["reverted", "withdrawn"]);
    expect(did).toContain("audited: the daemon ended before it was confirmed");
    expect(() => next.permit()).toThrow("the daemon ended before it was confirmed");
    next.start();
    next.permit();
    expect(stateIn(files)).toBe("provisional");
    expect(() => next.start()).toThrow("no reverted enforcement");
  });

  test("that a version before reverted has the reason of that version", () => {
    const { files, open } = both();
    const record = { state: "reverted", at: "2030-01-01T00:00:00.000Z", reason: "it was not confirmed in time" };
    files["/state/enforcement.json"] = JSON.stringify(record);
    expect(() => open().permit()).toThrow("was reverted (it was not confirmed in time)");
  });

  test.each([
    ["at its deadline", async () => void (await vi.advanceTimersByTimeAsync(120_000))],
    ["on request", (it: Enforcement) => expect(it.revert(byAda)).rejects.toThrow("nft: busy")],
  ])("that cannot be reverted %s is tried again, and nothing is permitted meanwhile", async (_, beginRevert) => {
    const { files, did, open } = both();
    const enforcement = open();
    enforcement.permit();
    const announce = did.push.bind(did);
    let failures = 2;
    did.push = (...words) => {
      if (words[0] === "withdrawn" && failures-- > 0) throw new Error("nft: busy");
      return announce(...words);
    };
    await beginRevert(enforcement);
    expect(() => enforcement.permit()).toThrow("is being reverted");
    expect(stateIn(files)).toBe("provisional");
    await vi.advanceTimersByTimeAsync(4000);
    expect(stateIn(files)).toBe("reverted");
  });
});
