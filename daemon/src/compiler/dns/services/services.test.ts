import { expect, test } from "vitest";
import type { FilterPolicy } from "../../../engines/dnsdist/filter-policy.model.ts";
import { verdictOf } from "../../../engines/dnsdist/verdict.model.ts";
import { domainIn } from "../../../subsystems/dns/domains.ts";
import { filterPolicyOf } from "../filter-policy.ts";
import { services } from "./catalogue.ts";

const everyone = { source_type: "everyone", source_value: "" } as const;
type Action = "allow" | "block" | "safe_search";
const rule = (action: Action, pattern: string, about: object = {}) =>
  ({
    id: `${action} ${pattern}`,
    name: pattern,
    action,
    match: "service",
    pattern,
    enabled: true,
    note: "",
    ...everyone,
    ...about,
  }) as const;
const classes = { device_group: [], privacy_class: [], trust_class: [] };
const tv = { id: "tv", name: "TV", ips: ["10.0.0.7"], group_ids: [], privacy_class: null, trust_class: null };
const policyOf = (...rules: ReturnType<typeof rule>[]) =>
  filterPolicyOf({ dns_filter_rule: rules }, { device: [tv], ...classes }, [], [], true);
const verdict = (policy: FilterPolicy, name: string, address = "10.0.0.9") =>
  verdictOf(policy, () => undefined, address, name);
const kindOf = (policy: FilterPolicy, name: string, address?: string) => verdict(policy, name, address).kind;

test("services: ids are unique and differ from those of categories; names are spelled as queries are, once", () => {
  const ids = [...services.map(({ id }) => id), ...new Set(services.map(({ category }) => category))];
  expect(new Set(ids).size).toBe(ids.length);
  const names = services.flatMap(({ domains, hosts = [] }) => [...domains, ...hosts]);
  expect(names.filter((name) => domainIn("name", name) !== name)).toEqual([]);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(services.filter(({ domains, hosts = [] }) => domains.length + hosts.length === 0)).toEqual([]);
});

test("services: no name of a service is below a domain of another one, which a rule for that one would decide", () => {
  const nested = services.flatMap((outer) =>
    services
      .filter((it) => it !== outer)
      .flatMap(({ domains, hosts = [] }) => [...domains, ...hosts])
      .filter((name) => outer.domains.some((domain) => name === domain || name.endsWith(`.${domain}`))),
  );
  expect(nested).toEqual([]);
});

test("services: a server for safe search is not itself rewritten", () => {
  const rewritten = new Set(services.flatMap(({ safeSearch }) => safeSearch?.names ?? []));
  expect(services.filter(({ safeSearch }) => safeSearch && rewritten.has(safeSearch.server))).toEqual([]);
  expect(rewritten).toContain("www.google.co.uk");
});

test("a rule for a service blocks its names and those below, and no others", () => {
  const policy = policyOf(rule("block", "youtube"));
  const about = (name: string) => kindOf(policy, name);
  expect(about("r3---sn-x.googlevideo.com")).toBe("block");
  expect(about("youtube.com")).toBe("block");
  expect(about("youtubei.googleapis.com")).toBe("block");
  expect(about("fonts.googleapis.com")).toBe("none");
  expect(about("notyoutube.com")).toBe("none");
  expect(verdict(policy, "youtu.be")).toMatchObject({ by: { cause: "dns_filter_rule block youtube" } });
});

test("a rule for a category has all its services, except those with a rule of their own for the same source", () => {
  expect(kindOf(policyOf(rule("block", "social")), "reddit.com")).toBe("block");
  const withOwn = policyOf(rule("allow", "social"), rule("block", "reddit"));
  expect(["old.reddit.com", "pinterest.com"].map((it) => kindOf(withOwn, it))).toEqual(["block", "allow"]);
  const disabled = policyOf(rule("block", "social"), rule("allow", "reddit", { enabled: false }));
  expect(kindOf(disabled, "reddit.com")).toBe("block");
  const forTv = policyOf(
    rule("block", "social"),
    rule("allow", "reddit", { source_type: "device", source_value: "tv" }),
  );
  expect(["10.0.0.7", "10.0.0.9"].map((it) => kindOf(forTv, "reddit.com", it))).toEqual(["allow", "block"]);
});

test("safe search answers with the server without adult results, and leaves other names alone", () => {
  const policy = policyOf(rule("safe_search", "search"));
  const cname = (name: string) => {
    const found = verdict(policy, name);
    return found.kind === "rewrite" ? found.action.cname : found.kind;
  };
  expect(cname("www.google.de")).toBe("forcesafesearch.google.com");
  expect(cname("duckduckgo.com")).toBe("safe.duckduckgo.com");
  expect(cname("mail.google.com")).toBe("none");
  expect(cname("forcesafesearch.google.com")).toBe("none");
  // This service has no such server.
  expect(cname("startpage.com")).toBe("none");
});

test("a rule for a service that this version does not know decides nothing", () => {
  expect(policyOf(rule("block", "gone")).layers).toEqual([]);
});
