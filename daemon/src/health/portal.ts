import { because, reported, type Reason } from "@portcullis/contract/reason";
import { lookupAt } from "../system/lookup.ts";
import type { System } from "../system/system.ts";
import {
  curlArguments,
  hostIn,
  isAddress,
  isPrivate,
  type PageResult,
  resultOf,
  type Probe,
  readCurl,
  readResolvers,
  type Reply,
  type RedirectStep,
} from "./portal.machine.ts";

export type { Probe, RedirectStep } from "./portal.machine.ts";

/** Whether there is a portal between an uplink and the Internet, with the evidence. */
export interface PortalCheck {
  readonly uplink: string;
  readonly state: "open" | "captive" | "offline";
  readonly steps: readonly RedirectStep[];
  readonly evidence: readonly Reason[];
}

export interface PortalRequest {
  /** The interface of the requests. */
  readonly uplink: string;
  /** Its addresses: the only source addresses of the requests. */
  readonly from: { readonly v4?: string | undefined; readonly v6?: string | undefined };
  readonly probe: Probe;
  /** Resolvers to query when those that the network assigned do not answer. */
  readonly resolvers: readonly string[];
}

interface Needs {
  readonly system: Pick<System, "run" | "readText" | "list">;
  /** Monotonic. */
  readonly nowMs: () => number;
  readonly lookup?: typeof lookupAt;
}

const maxSteps = 6;
const maxResolvers = 4;
const pageSec = 5;
/** No new request is sent after that. */
const totalTimeoutMs = 12_000;

/**
 * Fetches a page with known content, by one uplink and with its address, and follows redirects. Names are resolved by the
 * resolvers that the network assigned: behind a portal no other may be reachable, and often no other has the portal's name.
 */
export async function checkForPortal(
  { system, nowMs, lookup = lookupAt }: Needs,
  { uplink, from, probe, resolvers }: PortalRequest,
): Promise<PortalCheck> {
  const evidence: Reason[] = [];
  const steps: RedirectStep[] = [];
  const endMs = nowMs() + totalTimeoutMs;
  const servers = [...new Set([...(await networkResolvers(system, uplink)), ...resolvers])].slice(0, maxResolvers);

  async function addressesOf(host: string): Promise<readonly string[]> {
    if (isAddress(host)) return [host];
    for (const server of servers) {
      if (nowMs() > endMs) break;
      const found = await lookup(server, from, host).catch(() => []);
      if (found.length === 0) evidence.push(because("portal_unresolved", { resolver: server, host }));
      else {
        evidence.push(because("portal_resolved", { resolver: server, host, addresses: found }));
        return found;
      }
    }
    if (servers.length === 0) evidence.push(because("portal_no_resolver", { host }));
    return [];
  }

  async function fetchPage(step: RedirectStep): Promise<Reply> {
    if (step.addresses.length === 0) return { kind: "no-answer", reason: because("portal_unknown_address") };
    if (nowMs() > endMs) return { kind: "no-answer", reason: because("portal_out_of_time") };
    const curl = curlArguments({ uplink, step }, pageSec);
    return system.run("curl", curl, { timeoutMs: (pageSec + 1) * 1000 }).then(readCurl, (error: Error) => ({
      kind: "no-answer" as const,
      reason: reported(error.message),
    }));
  }

  async function visit(url: string): Promise<PageResult> {
    const host = hostIn(url);
    const step = { url, host, addresses: await addressesOf(host) };
    steps.push(step);
    const reply = await fetchPage(step);
    const result = resultOf(reply, url, probe);
    evidence.push(stepOf(url, reply, result));
    return result;
  }

  let meaning = await visit(probe.url);
  const isAnswered = meaning.kind !== "no-answer";
  const [{ host, addresses } = noStep] = steps;
  if (!isAddress(host) && addresses.some(isPrivate)) evidence.push(because("portal_private", { host }));
  const isNew = (url: string): boolean => steps.length < maxSteps && !steps.some((it) => it.url === url);
  while (meaning.kind === "redirect" && isNew(meaning.to)) meaning = await visit(meaning.to);
  const state = meaning.kind === "expected" ? "open" : isAnswered ? "captive" : "offline";
  return { uplink, state, steps, evidence };
}

const noStep: RedirectStep = { url: "", host: "", addresses: [] };

function stepOf(url: string, reply: Reply, result: PageResult): Reason {
  if (reply.kind === "no-answer") return because("portal_silent", { url, why: reply.reason });
  const answer = { url, status: String(reply.status) };
  if (result.kind === "redirect") return because("portal_redirects", { ...answer, to: result.to });
  return because(result.kind === "expected" ? "portal_expected" : "portal_other_content", answer);
}

/** From DHCP and router advertisements, as systemd-resolved, NetworkManager or resolv.conf have them. */
async function networkResolvers(system: Needs["system"], uplink: string): Promise<string[]> {
  const assigned =
    system.list("/run/systemd/resolve").length > 0
      ? await system.run("resolvectl", ["dns", uplink], { timeoutMs: 2000 }).catch(() => "")
      : "";
  const files = ["/etc/resolv.conf", "/run/NetworkManager/no-stub-resolv.conf", "/run/systemd/resolve/resolv.conf"];
  return [assigned, ...files.map((path) => system.readText(path) ?? "")].flatMap(readResolvers);
}
