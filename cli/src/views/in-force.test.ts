import type { Request } from "@portcullis/contract/client";
import { envelope, Problem } from "@portcullis/contract/problem";
import { expect, test } from "vitest";
import { type Environment, run } from "../run.ts";

/** What a person reads while policies are in force. A gateway in a test has no kernel of its own, so its answers are given. */

const status = {
  version: "0.1.0",
  health: "degraded",
  uptime_sec: 260_000,
  dataplane_enabled: true,
  not_enforced: null,
  ready: true,
  revision: 12,
  applied_revision: 12,
  tls_pin: null,
};
const evaluation = {
  outcome: "egress",
  interfaces: ["wg-zurich"],
  reason: "All hops are up",
  policy_id: "p1",
  trace: [{ policy_id: "p1", name: "TV abroad", matched: true, decided: true, reason: "All hops are up" }],
};
const answers: Readonly<Record<string, unknown>> = {
  "GET /status": status,
  "GET /observer": {
    components: [
      { name: "dns", status: "ok", message: "" },
      {
        name: "tunnels",
        status: "degraded",
        message: "Oslo is down: no probe answers: `portcullis tunnels` lists them",
      },
    ],
  },
  "GET /policy/postures": {
    protected: 9,
    blocked: 1,
    exposed: 1,
    unknown_device: "blocked",
    devices: [{ device_name: "Pr\u001b[31minter", posture: "exposed" }],
  },
  "GET /tunnels?limit=1000": [
    { name: "Amsterdam", status: "up", enabled: true },
    { name: "Oslo", status: "failed", enabled: true },
    { name: "Old", status: "down", enabled: false },
  ],
  "GET /alerts/active": [{ severity: "warning", reason: "Oslo is down" }],
  "GET /changes": { pending: { actor: "key:laptop", remaining_sec: 45 }, staged: [], applied: {} },
  "GET /pauses/active": [],
  "GET /devices/TV": { id: "d1", name: "TV" },
  "GET /routing/policies/p1": {
    id: "p1",
    name: "TV abroad",
    priority: 100,
    hops: [
      { type: "vpn", target: "Amsterdam" },
      { type: "vpn", target: "Zurich" },
    ],
    fail_policy: "fail-closed",
  },
  "POST /policy/evaluate": evaluation,
  "GET /dns/status": { status: "ok" },
  "POST /dns/test": { verdict: "block", by: { name: "Trackers" }, trace: ["The list Trackers contains shop.example"] },
};

/** A problem is answered as one. */
const atTerminal = async (words: readonly string[], more: Readonly<Record<string, unknown>> = {}): Promise<string> => {
  const world: Environment = {
    send: async ({ method, url }: Request) => {
      const body = { ...answers, ...more }[`${method} ${url}`];
      const isRefused = body instanceof Problem;
      return { status: isRefused ? body.status : 200, header: () => null, body: isRefused ? envelope(body) : body };
    },
    follow: () => Promise.reject(new Error("nothing is followed here")),
    receive: () => Promise.reject(new Error("no file is received here")),
    printBytes: () => {},
    print: () => {},
    screen: { columns: 80, colors: false, timeZone: "UTC" },
    now: () => new Date("2026-10-01T12:00:00Z"),
    waitForNext: () => Promise.reject(new Error("nothing is followed here")),
    login: async () => "",
    logout: () => "",
    setup: async () => ({ out: "" }),
    isFile: () => false,
    readFile: async () => new Uint8Array(),
    readStdin: async () => new Uint8Array(),
  };
  return (await run(words, world)).out;
};

test("status: in force, it has what is exposed, what is down and what to do", async () =>
  expect(await atTerminal(["status"])).toMatchInlineSnapshot(`
    "Policies are in force. Portcullis 0.1.0, up 3 days.
      Health   degraded
      Devices  9 protected, 1 blocked, 1 exposed (Pr\\u001b[31minter); unknown ones:
               blocked
      Tunnels  1 of 2 up; not up: Oslo
      Alerts   1 active; warning: Oslo is down
      Changes  one waits for confirmation, by key:laptop; reverted in 45 s
      Paused   nothing
    degraded tunnels: Oslo is down: no probe answers: \`portcullis tunnels\` lists
    them

    To keep the pending change, or revert it:
      portcullis changes confirm
      portcullis changes revert
    To see the alerts:
      portcullis alerts active
    "
  `));

test("status: what the gateway cannot read is named in its row, and the other rows are there", async () => {
  const message = "nft cannot read the kernel's state";
  const broken = new Problem("engine_unavailable", {}, { message });
  const everything = await atTerminal(["status"]);
  const out = await atTerminal(["status"], {
    "GET /policy/postures": broken,
    "GET /status": { ...status, ready: false },
  });
  expect(out).toMatch(/^Not in force: an engine failed; portcullis observer/);
  expect(out).toContain(`  Devices  not readable: ${message}\n`);
  for (const row of ["Health", "Tunnels", "Alerts", "Changes", "Paused"]) {
    const [line] = new RegExp(`^  ${row} .*$`, "m").exec(everything)!;
    expect(out).toContain(line);
  }
  const all = ["/policy/postures", "/tunnels?limit=1000", "/alerts/active", "/changes", "/pauses/active", "/observer"];
  const least = await atTerminal(["status"], Object.fromEntries(all.map((path) => [`GET ${path}`, broken])));
  expect(least.match(/not readable: nft/g)).toHaveLength(all.length);
});

test("policies create: what was created is shown although the staged changes cannot be read", async () =>
  expect(
    await atTerminal(["policies", "create", "--name", "TV abroad", "--source-type", "device"], {
      "POST /routing/policies": { id: "p1", name: "TV abroad" },
      "GET /changes": new Problem("engine_unavailable"),
    }),
  ).toMatch(/^Created the routing policy TV abroad\.[^]*Not in force yet: It is staged/));

test.each([
  { dataplane_enabled: false },
  { not_enforced: "eth1 is missing" },
  { applied_revision: 11 },
  { ready: false },
])("status and why: policies that are not in force are never shown as in force: %j", async (more) => {
  for (const words of [["status"], ["why", "TV"]])
    expect(await atTerminal(words, { "GET /status": { ...status, ...more } })).toMatch(/^Not in force: /);
});

test("why: in force, it has the path, the policy, and who blocks the name", async () =>
  expect(await atTerminal(["why", "TV", "shop.example"])).toMatchInlineSnapshot(`
    "TV leaves through Amsterdam → Zurich (wg-zurich).
      Why      All hops are up
      Policy   TV abroad, priority 100: Amsterdam → Zurich
      If down  nothing leaves

    DNS filtering blocks shop.example by Trackers. To allow it for TV:
      portcullis unblock shop.example --for TV
      DNS steps  The list Trackers contains shop.example
    "
  `));

const pause = (id: string, name: string) => ({
  id,
  type: "filtering",
  source_type: "device",
  source_value: id,
  source_name: name,
  domain: null,
});

test("resume: the end of a pause that is not enforced is shown as not in force", async () => {
  const resumed = (enforced: boolean) =>
    atTerminal(["resume"], {
      "GET /pauses/active": [pause("p1", "TV"), pause("p2", "Laptop")],
      "DELETE /pauses/p1": { id: "p1", deleted: true, enforced },
      "DELETE /pauses/p2": { id: "p2", deleted: true, enforced: true },
    });
  const ended = "Ended: the pause of DNS filtering for TV.\nEnded: the pause of DNS filtering for Laptop.\n";
  expect(await resumed(true)).toBe(ended);
  expect(await resumed(false)).toMatch(/^Not in force: [^]*Ended: /);
});

test("resume: a pause that has ended by itself meanwhile does not keep the others from being ended", async () =>
  expect(
    await atTerminal(["resume"], {
      "GET /pauses/active": [pause("p1", "TV"), pause("p2", "Laptop")],
      "DELETE /pauses/p1": new Problem("not_found"),
      "DELETE /pauses/p2": { id: "p2", deleted: true, enforced: true },
    }),
  ).toBe("Ended: the pause of DNS filtering for Laptop.\n"));

test("protect: a state that cannot be read after the apply is not shown as one, and the change can still be confirmed", async () =>
  expect(
    await atTerminal(["protect", "TV", "--via", "Amsterdam", "--via", "Zurich"], {
      "GET /devices/TV": { id: "d1", name: "TV", group_ids: [] },
      "GET /tunnels/Amsterdam": { name: "Amsterdam" },
      "GET /tunnels/Zurich": { name: "Zurich" },
      "GET /routing/policies?limit=1000": [],
      "GET /changes": { pending: null, staged: [], applied: {} },
      "POST /policy/evaluate": { ...evaluation, exception_id: null, control: null },
      "POST /routing/policies": answers["GET /routing/policies/p1"],
      "POST /routing/policies/apply?confirm_within=120": { findings: [], confirm_until: "2026-10-01T12:02:00Z" },
      "GET /status": new Problem("engine_unavailable"),
    }),
  ).toMatchInlineSnapshot(`
    "Created the policy of TV: it goes through Amsterdam, then Zurich.
      Path     Amsterdam → Zurich
      If down  nothing leaves
      Policy   TV abroad, priority 100
      Before   All hops are up

    Not known whether it is in force: the state could not be read: An engine does
    not answer, or the gateway is stopping.

    It is reverted in 2 min (12:02:00) unless you confirm it:
      portcullis changes confirm
    "
  `));
