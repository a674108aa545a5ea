import { because, explainedAs } from "@portcullis/contract/reason";
import type { DnsOutcome } from "@portcullis/contract/subsystems/dns";
import type { DnsListCondition } from "@portcullis/contract/subsystems/dns-lists";
import { expect, test } from "vitest";
import { ledgerInMemory } from "../../../../testing/ledger.ts";
import { dnsService } from "./dns.service.ts";
import { filterRuleService } from "./filters.service.ts";
import { servicePatterns } from "./service-patterns.ts";
import { listService } from "./lists.service.ts";
import { optionService } from "./options.service.ts";
import { inactiveDns } from "./dns.status.ts";
import { rotationService } from "./upstreams.service.ts";
import { zoneServices } from "./zones.service.ts";

const cause = { actor: "ada", action: "test", resourceType: "dns" };
const openFixture = () =>
  ledgerInMemory(
    Object.fromEntries(
      [
        "device",
        "schedule",
        "dns_filter_rule",
        "dns_zone",
        "dns_record",
        "dns_list",
        "dns_options",
        "dns_rotation",
      ].map((kind) => [kind, "at-once" as const]),
    ),
  );

test("DNS test: uses the address of the device and adds the name of the deciding entry", async () => {
  const ledger = openFixture();
  const rules = filterRuleService({ ledger, affordable: () => null, patterns: servicePatterns([]) });
  const rule = rules.create(cause, { name: "No ads", action: "block", match: "suffix", pattern: "ads.example" });
  ledger.change(cause, (draft) =>
    draft.put("device", { id: "tv", name: "TV", ips: ["192.168.1.7"] } as { id: string }),
  );
  const queries: unknown[] = [];
  let seen: string | undefined;
  const outcome: DnsOutcome = {
    ...(await inactiveDns("dns_disabled").test({ name: "", type: "A", address: null })),
    verdict: "block",
    by: { kind: "rule", resource_type: "dns_filter_rule", resource_id: rule.id },
  };
  const service = dnsService({
    ledger,
    statusSource: {
      ...inactiveDns("dns_disabled"),
      seenAt: () => seen,
      test: async (query) => {
        queries.push(query);
        return outcome;
      },
    },
    listenAddr: "0.0.0.0:53",
    upstreamMode: "plain",
    options: optionService({ ledger, filteringEnabled: true }).get,
    rotation: rotationService({ ledger }).get,
    isExternal: () => false,
  });
  const { verdict, by } = await service.test({ name: "X.Ads.Example.", type: "aaaa", device_id: "TV" });
  expect({ verdict, by }).toEqual({ verdict: "block", by: { ...outcome.by, name: "No ads" } });
  expect(queries).toEqual([{ name: "x.ads.example", type: "AAAA", address: "192.168.1.7" }]);
  seen = "192.168.1.70";
  await service.test({ name: "ads.example", device_id: "TV" });
  expect(queries.at(-1)).toMatchObject({ address: "192.168.1.70" });
  ledger.close();
});

test.each(["exception", "pause", "privacy_control"])(
  "DNS test: a name that is decided by a %s, which has no name, is answered with its id",
  async (resource_type) => {
    const ledger = openFixture();
    const inactive = inactiveDns("dns_disabled");
    const service = dnsService({
      ledger,
      statusSource: {
        ...inactive,
        test: async (query) => ({
          ...(await inactive.test(query)),
          by: { kind: "rule", resource_type, resource_id: "7" },
        }),
      },
      listenAddr: "0.0.0.0:53",
      upstreamMode: "plain",
      options: optionService({ ledger, filteringEnabled: true }).get,
      rotation: rotationService({ ledger }).get,
      isExternal: () => false,
    });
    expect((await service.test({ name: "ads.example" })).by).toMatchObject({ resource_type, name: "7" });
  },
);

test("DNS: an expression that costs too much is refused with the reason", () => {
  const ledger = openFixture();
  const reason = "has too many states";
  const rules = filterRuleService({
    ledger,
    affordable: (pattern) => (pattern === "(a|b)*" ? reason : null),
    patterns: servicePatterns([]),
  });
  const body = { name: "R", action: "block", match: "regex", pattern: "(a|b)*" } as const;
  expect(() => rules.create(cause, body)).toThrow(`body.pattern: ${reason}`);
  expect(rules.create(cause, { ...body, pattern: "^ad[0-9]" }).pattern).toBe("^ad[0-9]");
  ledger.close();
});

test("DNS: a record that its zone cannot have is refused by its field", () => {
  const ledger = openFixture();
  const { zones, records } = zoneServices({
    ledger,
    recordProblem: ({ type, ttlSec }, siblings, { name: zone }) => {
      if (type === "CNAME" && siblings.length > 0) return { field: "type", reason: `must be alone in ${zone}` };
      return ttlSec === 13 ? { field: "ttlSec", reason: "brings bad luck" } : null;
    },
  });
  const { id } = zones.create(cause, { name: "home.example" });
  const body = { zone_id: id, name: "www", value: "192.0.2.7" };
  records.create(cause, { ...body, type: "A" });
  expect(() => records.create(cause, { ...body, type: "CNAME" })).toThrow("body.type: must be alone in home.example");
  expect(() => records.create(cause, { ...body, type: "AAAA", ttl_sec: 13 })).toThrow("body.ttl_sec: brings bad luck");
  expect(zones.get(id).serial).toBe(2);
  ledger.close();
});

test("DNS: a list that no resolver reads says so, also after a refresh", async () => {
  const ledger = openFixture();
  const { lists: states, listsOff, refreshList } = inactiveDns("dataplane_off");
  const upload = async () => ({ digest: "0".repeat(64) });
  const lists = listService({ ledger, states, listsOff, refreshList, upload, catalog: [] });
  const { id } = lists.create(cause, { name: "Threats", category: "threat" }, true);
  const off = { entries: 0, read_at: null, problem: "Lists are not read: the dataplane is off" };
  expect(await lists.refresh(cause, id)).toMatchObject(off);
  expect(await lists.upload(cause, id, "bad.example")).toMatchObject(off);
  expect(lists.threatFeeds()).toMatchObject([{ id, status: "off" }]);
  ledger.close();
});

test("DNS: how a list is comes from those who read it", async () => {
  const ledger = openFixture();
  const states = new Map<string, DnsListCondition>();
  const counts = { entries: 3, skipped: 1, bytes: 40, memory_bytes: 96, read_at: "2030-01-01T00:00:00Z" };
  const read = { ...counts, ...explainedAs("problem", null) };
  const lists = listService({
    ledger,
    states: () => states,
    listsOff: null,
    refreshList: async (id) => void states.set(id, read),
    upload: async () => ({ reason: "This is a web page, not a list" }),
    catalog: [],
  });
  const { id, entries } = lists.create(cause, { name: "Threats", category: "threat" }, false);
  expect(entries).toBe(0);
  expect(await lists.refresh(cause, id)).toMatchObject(read);
  expect(lists.threatFeeds()).toMatchObject([{ id, status: "ok", entries: 3 }]);
  await expect(lists.upload(cause, id, "<html>")).rejects.toThrow("a web page");
  states.set(id, { ...counts, ...explainedAs("problem", because("list_empty")) });
  expect(lists.threatFeeds()).toMatchObject([{ id, status: "failing", entries: 3 }]);
  ledger.close();
});
