import { because, explainedAs } from "@portcullis/contract/reason";
import { weekdays } from "@portcullis/contract/schedule-times";
import type { Policy } from "@portcullis/contract/subsystems/routing";
import type { SplittingEndpoint } from "@portcullis/contract/subsystems/splitting";
import { describe, expect, test } from "vitest";
import { ledgerInMemory } from "../../../../testing/ledger.ts";
import { splittingEndpointService } from "./endpoints.service.ts";
import { noPaths, type SplittingStatusSource } from "./splitting.status.ts";
import { splittingService } from "./splitting.service.ts";

const cause = { actor: "ada", action: "test", resourceType: "splitting" };
const tunnel = (name: string) => ({
  id: `id-${name}`,
  name,
  type: "wireguard",
  enabled: true,
  interface: `wg-${name}`,
});
const policy = (name: string, change: Partial<Policy> = {}): Policy => ({
  id: `policy-${name}`,
  name,
  source_type: "all",
  source_value: "",
  priority: 100,
  enabled: true,
  hops: [],
  fail_policy: "fail-closed",
  splitting: false,
  profile_id: null,
  ...change,
});
const vpn = (target: string) => ({ type: "vpn" as const, target });

/** A ledger with three tunnels and these policies, and the two services over it. */
function fixture({
  policies = [],
  reports = {},
}: {
  policies?: Policy[];
  reports?: Partial<SplittingStatusSource>;
} = {}) {
  const ledger = ledgerInMemory({
    tunnel: "at-once",
    splitting_endpoint: "at-once",
    routing_policy: "on-apply",
    profile: "on-apply",
    schedule: "at-once",
  });
  ledger.change(cause, (draft) => {
    for (const name of ["nl", "se", "ch"]) draft.put("tunnel", tunnel(name));
    for (const it of policies) draft.put("routing_policy", it);
  });
  const applied: string[] = [];
  const endpoints = splittingEndpointService({ ledger, refuseInUse: () => {} });
  const splitting = splittingService({
    ledger,
    stage: (why, id, hops) => {
      const after = { ...ledger.staged<Policy>("routing_policy").get(id)!, hops, splitting: true };
      ledger.change(why, (draft) => draft.put("routing_policy", after));
      return after;
    },
    apply: async (why) => {
      ledger.releases.apply(why);
      applied.push(why.action);
      return true;
    },
    statusSource: { ...noPaths, ...reports },
    now: () => new Date(),
  });
  return {
    ledger,
    endpoints,
    splitting,
    applied,
    members: (...names: string[]) => names.map((name) => endpoints.create(cause, { tunnel_id: name })),
    [Symbol.dispose]: () => ledger.close(),
  };
}

/** What was thrown, in a line. */
async function refusalOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`;
  }
  return "accepted";
}

describe("splitting: an endpoint of the pool", () => {
  test("is a member of one turn that is on, unless it says otherwise", () => {
    using it = fixture();
    const made = it.endpoints.create(cause, { tunnel_id: "nl" });
    expect(made).toEqual({
      id: made.id,
      name: null,
      tunnel_id: "id-nl",
      weight: 1,
      role: "member",
      enabled: true,
      target: null,
      bytes_per_second: 1024,
    });
  });

  test("sends cover only if it is enabled explicitly", () => {
    using it = fixture();
    const cover = { tunnel_id: "nl", role: "cover", target: "203.0.113.5" } as const;
    expect(it.endpoints.create(cause, cover)).toMatchObject({ enabled: false, target: "203.0.113.5" });
    expect(it.endpoints.create(cause, { ...cover, tunnel_id: "se", enabled: true })).toMatchObject({ enabled: true });
    const [member] = it.members("ch") as [SplittingEndpoint];
    const turned = it.endpoints.update(cause, member.id, { role: "cover", target: "203.0.113.5" });
    expect(turned).toMatchObject({ role: "cover", enabled: false });
    expect(it.endpoints.update(cause, member.id, { enabled: true })).toMatchObject({ role: "cover", enabled: true });
    expect(it.endpoints.update(cause, member.id, { role: "member" })).toMatchObject({ target: null, enabled: true });
  });

  test.each([
    [{ role: "cover" }, "is required: the destination address of the padding"],
    [{ role: "cover", target: null }, "is required: the destination address of the padding"],
    [{ role: "member", target: "203.0.113.5" }, "is for cover only"],
    [{ role: "cover", target: "127.0.0.1" }, "must be the address of one host"],
    [{ role: "cover", target: "255.255.255.255" }, "must be the address of one host"],
    [{ role: "cover", target: "0.0.0.0" }, "must be the address of one host"],
    [{ role: "cover", target: "::1" }, "must be the address of one host"],
    [{ role: "cover", target: "ff02::1" }, "must be the address of one host"],
    [{ role: "cover", target: "2001:db8::1" }, "accepted"],
    [{ role: "cover", target: "10.0.0.1" }, "accepted"],
    [{ tunnel_id: "no" }, "invalid_request"],
  ] as const)("is judged as %j", async (body, verdict) => {
    using it = fixture();
    expect(await refusalOf(() => it.endpoints.create(cause, { tunnel_id: "nl", ...body }))).toContain(verdict);
  });

  test("is unique: a tunnel is a member once, and covers a target once", async () => {
    using it = fixture();
    it.members("nl");
    const cover = { tunnel_id: "nl", role: "cover", target: "203.0.113.5" } as const;
    it.endpoints.create(cause, { ...cover, name: "quiet" });
    expect(await refusalOf(() => it.members("nl"))).toBe("conflict: This tunnel is a member already");
    expect(await refusalOf(() => it.endpoints.create(cause, cover))).toBe(
      "conflict: This tunnel covers this target already",
    );
    expect(await refusalOf(() => it.endpoints.create(cause, { tunnel_id: "se", name: "quiet" }))).toContain("conflict");
    expect(await refusalOf(() => it.endpoints.create(cause, { ...cover, target: "203.0.113.6" }))).toBe("accepted");
  });

  test("is found by role, state and tunnel", () => {
    using it = fixture();
    it.members("nl", "se");
    it.endpoints.create(cause, { tunnel_id: "nl", role: "cover", target: "203.0.113.5" });
    const count = (query: Parameters<typeof it.endpoints.list>[0]) => it.endpoints.list(query).items.length;
    expect([count({}), count({ role: "cover" }), count({ enabled: true }), count({ tunnel_id: "id-nl" })]).toEqual([
      3, 1, 2, 2,
    ]);
  });
});

describe("splitting: activating", () => {
  test("stages the policy with the members that are on, and publishes nothing", async () => {
    using it = fixture({ policies: [policy("all")] });
    const [first, second, third] = it.members("nl", "se", "ch") as SplittingEndpoint[];
    it.endpoints.update(cause, second!.id, { enabled: false });
    const answer = await it.splitting.activate(cause, { policy_id: "all" });
    // Ids of one millisecond are in no order.
    const members = [first!, third!].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const hops = members.map(({ tunnel_id }) => vpn(tunnel_id.replace("id-", "")));
    expect(answer).toEqual({
      policy: { ...policy("all", { hops, splitting: true }), source_name: "", schedule: null },
      members,
      staged: true,
      applied: false,
      ...explainedAs("message", because("split_staged")),
    });
    expect([it.applied, it.splitting.status().active]).toEqual([[], false]);
  });

  test("applies as well on request", async () => {
    using it = fixture({ policies: [policy("all")] });
    it.members("nl", "se");
    const answer = await it.splitting.activate(cause, { policy_id: "policy-all", apply: true });
    expect(answer).toMatchObject({ staged: true, applied: true, message: "The policy is in force" });
    expect([it.applied, it.splitting.status().active]).toEqual([["test"], true]);
  });

  test("needs a policy without a profile, and two members that are on", async () => {
    using it = fixture({ policies: [policy("all"), policy("shared", { profile_id: "p" })] });
    const activate = (policy_id: string) => refusalOf(() => it.splitting.activate(cause, { policy_id }));
    it.members("nl");
    it.endpoints.create(cause, { tunnel_id: "se", enabled: false });
    it.endpoints.create(cause, { tunnel_id: "se", role: "cover", target: "203.0.113.5", enabled: true });
    expect(await activate("all")).toContain("conflict: Splitting needs at least two enabled members");
    it.members("ch");
    expect(await activate("shared")).toContain("conflict: This policy has its hops from a profile");
    expect(await activate("unknown")).toContain("invalid_request");
    expect(await activate("all")).toBe("accepted");
  });

  test("refuses more members than a policy can have", async () => {
    using it = fixture({ policies: [policy("all")] });
    const names = Array.from({ length: 17 }, (_, at) => `t${at}`);
    it.ledger.change(cause, (draft) => names.forEach((name) => draft.put("tunnel", tunnel(name))));
    it.members(...names);
    expect(await refusalOf(() => it.splitting.activate(cause, { policy_id: "all" }))).toContain("limit_reached");
  });
});

describe("splitting: the state of splitting", () => {
  const status = { "id-nl": "up", "id-se": "degraded", "id-ch": "failed" } as const;
  const reading = (id: string) => ({
    ...noPaths.tunnel(id),
    status: status[id as keyof typeof status],
    mtu: 1420,
    ...(id === "id-nl" && { connections: 7 }),
  });

  test("shares new connections by weight among the members that are well", async () => {
    using it = fixture({
      policies: [
        policy("split", { splitting: true, hops: [vpn("nl"), vpn("id-se"), vpn("ch"), vpn("wg-foreign")] }),
        policy("chain", { hops: [vpn("nl"), vpn("se")] }),
        policy("single", { hops: [vpn("nl")], splitting: true }),
        policy("off", { hops: [vpn("nl"), vpn("se")], splitting: true, enabled: false }),
      ],
      reports: { tunnel: reading, linkUp: (name) => name === "wg-foreign" },
    });
    it.endpoints.create(cause, { tunnel_id: "nl", weight: 2 });
    expect(it.splitting.status()).toEqual({ active: false, policies: [], members: 1, covers: 0 });
    it.ledger.releases.apply(cause);
    const { policies, active } = it.splitting.status();
    expect(active).toBe(true);
    expect(policies).toEqual([
      {
        policy_id: "policy-split",
        name: "split",
        members: [
          { tunnel_id: "id-nl", tunnel: "nl", weight: 2, healthy: true, share: 0.5, connections: 7 },
          { tunnel_id: "id-se", tunnel: "se", weight: 1, healthy: true, share: 0.25 },
          { tunnel_id: "id-ch", tunnel: "ch", weight: 1, healthy: false, share: 0 },
          { tunnel_id: null, tunnel: "wg-foreign", weight: 1, healthy: true, share: 0.25 },
        ],
      },
    ]);
  });

  test("leaves out a policy while its schedule is not active, and an activation says when that is", async () => {
    const later = weekdays[(new Date().getDay() + 2) % 7]!;
    const schedule = { id: "later", name: "Later", days: [later], from: "00:00", to: "01:00", note: "" };
    const waiting = policy("split", { splitting: true, hops: [vpn("nl"), vpn("se")], schedule_id: "later" });
    using it = fixture({
      policies: [waiting, policy("now", { ...waiting, id: "now", name: "now", schedule_id: null })],
    });
    it.ledger.change(cause, (draft) => draft.put("schedule", schedule));
    it.members("nl", "se");
    const activated = await it.splitting.activate(cause, { policy_id: "policy-split", apply: true });
    expect(it.splitting.status().policies.map(({ name }) => name)).toEqual(["now"]);
    expect(activated.message).toMatch(/^Its schedule Later is not active before /);
  });

  test("gives no shares without a healthy member", () => {
    using it = fixture({ policies: [policy("split", { splitting: true, hops: [vpn("nl"), vpn("se")] })] });
    it.ledger.releases.apply(cause);
    expect(it.splitting.status().policies[0]!.members.map(({ share }) => share)).toEqual([0, 0]);
  });

  test("lists transport and resolver of tunnels in the pool or in a split only", () => {
    using it = fixture({
      policies: [policy("split", { splitting: true, hops: [vpn("nl"), vpn("wg-foreign")] })],
      reports: { tunnel: reading },
    });
    it.members("se");
    it.ledger.releases.apply(cause);
    expect(it.splitting.transport()).toEqual(
      ["nl", "se"].map((name) => ({
        tunnel_id: `id-${name}`,
        tunnel: name,
        interface: `wg-${name}`,
        type: "wireguard",
        mtu: 1420,
        endpoint: null,
        status: status[`id-${name}` as keyof typeof status],
        rtt_ms: null,
        tx: 0,
        rx: 0,
      })),
    );
    expect(it.splitting.dnsStatus().map(({ tunnel: name, source }) => [name, source])).toEqual([
      ["nl", "system"],
      ["se", "system"],
    ]);
  });

  test("counts padding of cover endpoints only", () => {
    using it = fixture({ reports: { cover: () => ({ packets: 3, bytes: 300, answered: 2 }) } });
    it.members("nl");
    const { id } = it.endpoints.create(cause, { tunnel_id: "nl", role: "cover", target: "203.0.113.5" });
    expect(it.splitting.coverStats()).toEqual([
      {
        endpoint_id: id,
        tunnel: "nl",
        target: "203.0.113.5",
        enabled: false,
        packets: 3,
        bytes: 300,
        answered: 2,
        bytes_per_second: 1024,
      },
    ]);
    expect(it.splitting.status()).toMatchObject({ members: 1, covers: 0 });
  });
});
