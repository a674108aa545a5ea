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

/** What stands between an uplink and the Internet, and how we know. */
export interface PortalCheck {
  readonly uplink: string;
  readonly state: "open" | "captive" | "offline";
  readonly steps: readonly RedirectStep[];
  readonly evidence: readonly string[];
}

export interface PortalRequest {
  /** The interface that is asked through. */
  readonly uplink: string;
  /** Its own addresses: nothing is asked with another. */
  readonly from: { readonly v4?: string | undefined; readonly v6?: string | undefined };
  readonly probe: Probe;
  /** Resolvers to ask when those the network has named do not answer. */
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
/** No new question is asked after that. */
const totalTimeoutMs = 12_000;

/**
 * Asks for a page whose words are known, by one uplink and with its address, and goes where the answers lead. Names are asked
 * of the resolvers that the network there has named: behind a portal no other may know anything, and the portal's own name is
 * often known to nobody else.
 */
export async function checkForPortal(
  { system, nowMs, lookup = lookupAt }: Needs,
  { uplink, from, probe, resolvers }: PortalRequest,
): Promise<PortalCheck> {
  const evidence: string[] = [];
  const steps: RedirectStep[] = [];
  const endMs = nowMs() + totalTimeoutMs;
  const servers = [...new Set([...(await networkResolvers(system, uplink)), ...resolvers])].slice(0, maxResolvers);

  async function addressesOf(host: string): Promise<readonly string[]> {
    if (isAddress(host)) return [host];
    for (const server of servers) {
      if (nowMs() > endMs) break;
      const found = await lookup(server, from, host).catch(() => []);
      if (found.length === 0) evidence.push(`${server} says nothing of ${host}`);
      else {
        evidence.push(`${host} is ${found.join(", ")}, says ${server}`);
        return found;
      }
    }
    if (servers.length === 0) evidence.push(`There is no resolver to ask for ${host}`);
    return [];
  }

  async function fetchPage(step: RedirectStep): Promise<Reply> {
    if (step.addresses.length === 0) return { kind: "silence", reason: "nobody says where it is" };
    if (nowMs() > endMs) return { kind: "silence", reason: "it all took too long" };
    const words = curlArguments({ uplink, step }, pageSec);
    return system.run("curl", words, { timeoutMs: (pageSec + 1) * 1000 }).then(readCurl, (error: Error) => ({
      kind: "silence" as const,
      reason: error.message,
    }));
  }

  async function visit(url: string): Promise<PageResult> {
    const host = hostIn(url);
    const step = { url, host, addresses: await addressesOf(host) };
    steps.push(step);
    const reply = await fetchPage(step);
    const result = resultOf(reply, url, probe);
    evidence.push(sentence(url, reply, result));
    return result;
  }

  let meaning = await visit(probe.url);
  const isAnswered = meaning.kind !== "silence";
  const [{ host, addresses } = noStep] = steps;
  if (!isAddress(host) && addresses.some(isPrivate))
    evidence.push(`${host} is nobody's private address: somebody on the way has answered for it`);
  const isNew = (url: string): boolean => steps.length < maxSteps && !steps.some((it) => it.url === url);
  while (meaning.kind === "onward" && isNew(meaning.to)) meaning = await visit(meaning.to);
  const state = meaning.kind === "expected" ? "open" : isAnswered ? "captive" : "offline";
  return { uplink, state, steps, evidence };
}

const noStep: RedirectStep = { url: "", host: "", addresses: [] };

function sentence(url: string, reply: Reply, meaning: PageResult): string {
  if (reply.kind === "silence") return `${url} was not answered: ${reply.reason}`;
  const what = {
    expected: "says what was expected",
    onward: `leads to ${meaning.kind === "onward" ? meaning.to : ""}`,
    page: "is another page than the one that was expected",
    silence: "says nothing",
  }[meaning.kind];
  return `${url} was answered with ${reply.status}, and that ${what}`;
}

/** As DHCP and router advertisements have told the machine; whoever keeps that keeps it in one of these places. */
async function networkResolvers(system: Needs["system"], uplink: string): Promise<string[]> {
  const resolved =
    system.list("/run/systemd/resolve").length > 0
      ? await system.run("resolvectl", ["dns", uplink], { timeoutMs: 2000 }).catch(() => "")
      : "";
  const files = ["/etc/resolv.conf", "/run/NetworkManager/no-stub-resolv.conf", "/run/systemd/resolve/resolv.conf"];
  return [resolved, ...files.map((path) => system.readText(path) ?? "")].flatMap(readResolvers);
}
