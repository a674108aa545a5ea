import { because, explained, explainedAll, explainedAs, type Reason, reported } from "@portcullis/contract/reason";
import { Problem } from "@portcullis/contract/problem";
import { contains, parseAddress, parseCidr } from "../../net/addresses.ts";
import type { DnsCondition, DnsOutcome } from "@portcullis/contract/subsystems/dns";
import type { Compiled } from "../inputs.ts";
import { isWithin, steeringDecision } from "../../compiler/policy/evaluate.ts";
import { pauseException } from "../../compiler/input/read-pauses.ts";
import { sinceBootMs } from "../../system/clock.ts";
import { egressNumber } from "../../compiler/egress/kernel-ids.ts";
import { isTunnelResolver } from "../../compiler/dns/resolver-programs.ts";
import { isUplink, noEgress, type ResolverInstance } from "../../compiler/dns/resolver-instances.ts";
import { egressName, egressNameVia } from "../../compiler/egress/egresses.ts";
import { rulesOf } from "../../engines/dnsdist/layers.model.ts";
import type { FilterPolicy, Verdict } from "../../engines/dnsdist/filter-policy.model.ts";
import { dnsProxyOf } from "../../engines/dns-proxy/dns-proxy.model.ts";
import type { Frontend } from "../../engines/dnsdist/dnsdist.model.ts";
import type { FrontendStatistics } from "../../engines/dnsdist/dnsdist.parse.ts";
import { clientFinder, evaluator, phaseAt, policyAt } from "../../engines/dnsdist/verdict.model.ts";
import { blockEgress, directEgress } from "../../engines/nftables/nftables.model.ts";
import type { DnsPlane } from "./dns.plane.ts";
import type { DnsStatusSource } from "../../subsystems/dns/dns.status.ts";

interface Needs {
  readonly plane: DnsPlane;
  readonly compiled: () => Compiled | undefined;
  readonly device: (address: string) => { readonly mac?: string | null } | undefined;
  readonly zoneId: (name: string) => string | undefined;
  readonly log: () => { readonly rows: number; readonly dropped: number };
}

/** The state of the resolvers, in the types of the API. */
export function dnsStatus({ plane, compiled, device, zoneId, log }: Needs): DnsStatusSource {
  const { engines, lists } = plane;
  const fronts = () => plane.latest()?.programs.frontends ?? [];
  const statisticsOf = (front: Frontend): Promise<FrontendStatistics | undefined> =>
    engines.dnsdist.statistics(front).catch(() => undefined);

  return {
    status: async () => {
      const egresses = await Promise.all(fronts().map(resolverStatus));
      const worst =
        egresses.find(({ status }) => status === "failed") ?? egresses.find(({ status }) => status === "degraded");
      const built = plane.built();
      const readAt = lists.states().flatMap((it) => it.readAt ?? []);
      return {
        status: egresses.length === 0 ? "failed" : (worst?.status ?? "running"),
        ...explained(
          egresses.length === 0
            ? because("dns_not_started")
            : worst
              ? because("dns_part", { part: worst.egress, why: worst.coded_reason })
              : because("dns_all_run"),
        ),
        dates_ignored: plane.clock.ignoresDates(),
        egresses,
        lists: {
          names: built?.names ?? 0,
          built_at: built && readAt.length > 0 ? latestOf(readAt).toISOString() : null,
          bytes: built?.bytes ?? 0,
        },
        filtering_paused: isEveryonePaused(compiled()?.dns.filterPolicy),
        log: log(),
      };
    },
    cache: async ({ limit, pattern }) => {
      const listings = await Promise.all(
        fronts()
          .filter(({ isResolving }) => isResolving)
          .map(async (front) => {
            const { entries } = await engines.dnsdist
              .cache(front, limit, pattern ?? undefined)
              .catch(() => ({ entries: [] }));
            return entries.map((it) => ({
              egress: front.egress,
              name: it.name,
              type: it.type,
              rcode: rcodes[it.rcode] ?? String(it.rcode),
              ttl_sec: it.ttlSec,
            }));
          }),
      );
      return listings.flat().slice(0, limit);
    },
    flush: async (pattern) => {
      const counts = await Promise.all(
        fronts()
          .filter(({ isResolving }) => isResolving)
          .map((front) => flushOf(front, pattern ?? undefined)),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    },
    lists: () => {
      const built = plane.built();
      const each = built && built.names > 0 ? built.bytes / built.names : 0;
      return new Map(
        lists.states().map(({ id, entries, skipped, bytes, readAt, problem }) => [
          id,
          {
            entries,
            skipped,
            bytes,
            memory_bytes: Math.round(entries * each),
            read_at: readAt?.toISOString() ?? null,
            ...explainedAs("problem", problem),
          },
        ]),
      );
    },
    listsOff: null,
    refreshList: async (id) => void (await lists.refresh(id)),
    test: async ({ name, address }) => tested(name, address),
    seenAt: (deviceId) => compiled()?.dns.devices.find(({ id }) => id === deviceId)?.ips[0],
    external: async () => {
      const front = fronts().find(({ number }) => number === directEgress);
      const server = front?.external && (await statisticsOf(front))?.servers.find((it) => it.name === "external");
      return server?.isUp
        ? { dns_status: "up", dns_rtt_ms: server.queries > 0 ? server.latencyMs : null, ...explained(null) }
        : { dns_status: "down", dns_rtt_ms: null, ...explained(because("extfilter_silent")) };
    },
  };

  async function flushOf(front: Frontend, pattern: string | undefined): Promise<number> {
    try {
      const { count } = await engines.dnsdist.cache(front, 0, pattern);
      const flushed = await engines.dnsdist.flush(front, pattern);
      if (flushed.kind === "all") await engines.unbound.flush({ kind: "all" });
      else if (flushed.kind === "below") await engines.unbound.flush({ kind: "suffix", name: flushed.name });
      else for (const name of flushed.names) await engines.unbound.flush({ kind: "name", name });
      return count;
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      if ((cause as { readonly code?: string }).code !== "ECONNREFUSED")
        throw new Problem("engine_failed", { engine: "dnsdist", reason }, { cause, message: `dnsdist: ${reason}` });
      // It starts, with an empty cache. Which names its validator has is unknown then.
      await engines.unbound.flush({ kind: "all" });
      return 0;
    }
  }

  async function resolverStatus(front: Frontend): Promise<DnsCondition["egresses"][number]> {
    const [program] = engines.dnsdist.states([front]);
    const seen = program?.kind === "running" ? await statisticsOf(front) : undefined;
    const failures = engines.dnsProxy.failures(dnsProxyOf(front));
    const upstreams = front.upstreams.servers.map(({ name, address, protocol }) => {
      const server = seen?.servers.find((it) => it.name === name);
      const failure = server?.isUp ? undefined : failures.get(name);
      return {
        name,
        address,
        protocol,
        status: server?.isUp ? ("up" as const) : ("down" as const),
        rtt_ms: server?.isUp && server.queries > 0 ? Math.round(server.latencyMs * 1000) / 1000 : null,
        queries: server?.queries ?? 0,
        drops: server?.drops ?? 0,
        ...explained(failure === undefined ? null : reported(failure)),
      };
    });
    const validator = plane.latest()?.programs.validators.find(({ number }) => number === front.number);
    const [behind] = validator ? engines.unbound.states([validator]) : [];
    const condition = (): { status: "running" | "degraded" | "failed"; reason: Reason } => {
      if (!seen)
        return {
          status: "failed",
          reason: program?.problem ?? because("dns_console_silent"),
        };
      if (!front.isResolving) return { status: "running", reason: because("dns_local_zones") };
      if (behind && behind.kind !== "running")
        return { status: "failed", reason: behind.problem ?? because("dns_validator_starting") };
      if (upstreams.length === 0) return { status: "degraded", reason: noUpstreams(front) };
      if (!upstreams.some(({ status }) => status === "up")) return silentUpstreams(front, compiled());
      const signatures = plane.signatures.of(front.number);
      if (signatures !== "valid")
        return { status: signatures === "some" ? "degraded" : "failed", reason: because(`dnssec_${signatures}`) };
      return { status: "running", reason: because("dns_answers") };
    };
    const current = condition();
    return {
      egress: front.egress,
      number: front.number,
      status: current.status,
      ...explained(current.reason),
      upstreams,
      cache: seen?.cache ?? { entries: 0, hits: 0, misses: 0 },
    };
  }

  /** The result of a query, from the same filter policy and the same tables. */
  function tested(name: string, address: string | null): DnsOutcome {
    const now = compiled();
    if (!now) throw new Error("Nothing is compiled yet");
    const { programs, filterPolicy: compiledPolicy } = now.dns;
    const sec = sinceBootMs() / 1000;
    const filterPolicy = policyAt(compiledPolicy, sec);
    const client = address ?? "0.0.0.0";
    const verdict = evaluator(filterPolicy, lists.lookup)(client, name);
    const { instance, why } = instanceOf(address, now);
    const route = filterPolicy.routes
      .filter(({ domain }) => isWithin(name, domain))
      .toSorted((a, b) => b.domain.length - a.domain.length)[0];
    const policy = route && now.decisions.ranked.find(({ policy: it }) => isRouteOf(it.sourceValue, route.domain));
    const zone = programs.zones
      .filter((it) => isWithin(name, it.name))
      .toSorted((a, b) => b.name.length - a.name.length)[0];
    const front = programs.frontends.find(({ number }) => number === instance.number);
    const conditional = front?.conditional
      .filter(({ domain }) => isWithin(name, domain))
      .toSorted((a, b) => b.domain.length - a.domain.length)[0];
    const servers = zone ? [] : ((conditional?.pool ?? front?.upstreams)?.servers ?? []);
    return {
      verdict: verdict.kind,
      by: byOf(verdict),
      answers: answersOf(verdict),
      egress: { name: instance.egress, number: instance.number, status: front?.isResolving ? "up" : "blocked" },
      policy_id: policy?.policy.id ?? null,
      zone_id: (zone && zoneId(zone.name)) ?? null,
      forwarder_ids: servers.map(({ name: id }) => id),
      log: clientFinder(filterPolicy)(client).log,
      ...explainedAll("trace", [
        because("trace_egress", { egress: instance.egress, why }),
        ...(phaseAt(clientFinder(compiledPolicy)(client).phases, sec) ? [because("trace_paused")] : []),
        stepOf(verdict, filterPolicy.isFiltering),
        ...(zone ? [because("trace_zone", { zone: zone.name })] : []),
        ...(conditional ? [because("trace_conditional", { domain: conditional.domain })] : []),
        ...(!zone && verdict.kind !== "block" && servers.length === 0 ? [because("trace_no_upstream")] : []),
        ...(policy ? [because("trace_policy", { domain: route!.domain })] : []),
      ]),
    };
  }

  function instanceOf(address: string | null, { intent, facts, decisions, kernelIds, dns }: Compiled) {
    const known = address === null ? undefined : device(address);
    const source = address === null ? undefined : parseAddress(address);
    const lan =
      intent.network.lan.find((it) =>
        facts.links
          .filter((link) => link.name === it)
          .some(({ networks = [] }) => source && networks.some((net) => contains(parseCidr(net)!, source))),
      ) ?? intent.network.lan[0];
    const { outcome, exception } = steeringDecision(
      { interface: lan, mac: known?.mac ?? undefined, source },
      decisions,
      intent,
    );
    // Of a split egress, the first member: each has its resolver.
    const egress =
      outcome.kind === "split"
        ? egressNameVia(outcome.members[0]!.interface, outcome.failsOpen)
        : egressName(outcome, intent.network);
    const number = isUplink(egress, intent.network) ? directEgress : egressNumber(egress, kernelIds);
    const wanted = number === blockEgress ? noEgress : number;
    const instance: ResolverInstance = dns.instances.find((it) => it.number === wanted) ?? dns.instances[0]!;
    const isException = exception && exception.type !== pauseException;
    return { instance, why: isException ? because("trace_exception", { type: exception.type }) : outcome.reason };
  }
}

/** As the resolvers decide it: by the phase of clients without settings of their own. */
const isEveryonePaused = (policy: FilterPolicy | undefined): boolean =>
  policy !== undefined && phaseAt(policy.others.phases, sinceBootMs() / 1000)?.skipsExternalFilter === true;

const isRouteOf = (value: string, domain: string): boolean => value.toLowerCase().replace(/^\*\./, "") === domain;

function byOf(verdict: Verdict): DnsOutcome["by"] {
  if (verdict.kind === "none") return null;
  if (verdict.by.kind === "list") return { kind: "list", resource_type: "dns_list", resource_id: verdict.by.id };
  const [resource_type = "", resource_id = ""] = verdict.by.cause.split(" ");
  return { kind: "rule", resource_type, resource_id };
}

const answersOf = (verdict: Verdict): DnsOutcome["answers"] =>
  verdict.kind === "rewrite"
    ? [
        ...verdict.action.v4.map((value) => ({ type: "A", value })),
        ...verdict.action.v6.map((value) => ({ type: "AAAA", value })),
        ...(verdict.action.cname === null ? [] : [{ type: "CNAME", value: verdict.action.cname }]),
      ]
    : [];

const stepOf = ({ kind }: Verdict, isFiltering: boolean): Reason =>
  because(isFiltering ? steps[kind] : "trace_unfiltered");

const steps = {
  none: "trace_unmatched",
  allow: "trace_allowed",
  block: "trace_blocked",
  rewrite: "trace_rewritten",
} as const;

const latestOf = (dates: readonly Date[]): Date => dates.reduce((a, b) => (a > b ? a : b));

/** The resource that decided, for the log. */
export function causeIn(
  policy: FilterPolicy,
  by: { readonly kind: "rule"; readonly index: number } | { readonly kind: "list"; readonly bit: number },
  nameOf: (kind: string, id: string) => string,
): { readonly resource_type: string; readonly resource_id: string; readonly name: string } | undefined {
  if (by.kind === "list") {
    const list = policy.lists.find(({ bit }) => bit === by.bit);
    return list && { resource_type: "dns_list", resource_id: list.id, name: list.name };
  }
  const [kind, id] = rulesOf(policy)[by.index]?.cause.split(" ") ?? [];
  return kind !== undefined && id !== undefined
    ? { resource_type: kind, resource_id: id, name: kind === "privacy_control" ? id : nameOf(kind, id) }
    : undefined;
}

const rcodes = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"];

const noUpstreams = ({ number }: Frontend): Reason =>
  because(number === directEgress ? "dns_no_upstream" : "dns_no_upstream_by_egress");

/** None of the upstreams answers. If the tunnel is down, that is the reason. */
function silentUpstreams({ number, upstreams }: Frontend, compiled: Compiled | undefined) {
  const instance = compiled?.dns.instances.find((it) => it.number === number);
  const isDown =
    number !== directEgress &&
    !compiled?.facts.hops.some(({ interface: name, up }) => up && instance?.interfaces.includes(name));
  if (isDown) return { status: "degraded" as const, reason: because("dns_egress_down") };
  const addresses = upstreams.servers.map(({ address }) => address);
  const isOwn = upstreams.servers.every(isTunnelResolver);
  return {
    status: "failed" as const,
    reason: because(isOwn ? "dns_tunnel_resolver_silent" : "dns_upstreams_silent", { addresses }),
  };
}
