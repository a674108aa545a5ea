import { lookupAt } from "../system/lookup.ts";
import type { System } from "../system/system.ts";
import {
  curlWords,
  hostIn,
  isAddress,
  isPrivate,
  type Meaning,
  meaningOf,
  type Probe,
  readCurl,
  readResolvers,
  type Reply,
  type Stop,
} from "./portal.machine.ts";

export type { Probe, Stop } from "./portal.machine.ts";

/** What stands between an uplink and the Internet, and how we know. */
export interface Look {
  readonly uplink: string;
  readonly state: "open" | "captive" | "offline";
  readonly stops: readonly Stop[];
  readonly evidence: readonly string[];
}

export interface Wanted {
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

const mostStops = 6;
const mostResolvers = 4;
const pageSec = 5;
/** No new question is asked after that. */
const patienceMs = 12_000;

/**
 * Asks for a page whose words are known, by one uplink and with its address, and goes where the answers lead. Names are asked
 * of the resolvers that the network there has named: behind a portal no other may know anything, and the portal's own name is
 * often known to nobody else.
 */
export async function lookForPortal(
  { system, nowMs, lookup = lookupAt }: Needs,
  { uplink, from, probe, resolvers }: Wanted,
): Promise<Look> {
  const evidence: string[] = [];
  const stops: Stop[] = [];
  const endMs = nowMs() + patienceMs;
  const servers = [...new Set([...(await namedResolvers(system, uplink)), ...resolvers])].slice(0, mostResolvers);

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

  async function ask(stop: Stop): Promise<Reply> {
    if (stop.addresses.length === 0) return { kind: "silence", reason: "nobody says where it is" };
    if (nowMs() > endMs) return { kind: "silence", reason: "it all took too long" };
    const words = curlWords({ uplink, stop }, pageSec);
    return system.run("curl", words, { timeoutMs: (pageSec + 1) * 1000 }).then(readCurl, (error: Error) => ({
      kind: "silence" as const,
      reason: error.message,
    }));
  }

  async function visit(url: string): Promise<Meaning> {
    const host = hostIn(url);
    const stop = { url, host, addresses: await addressesOf(host) };
    stops.push(stop);
    const reply = await ask(stop);
    const meaning = meaningOf(reply, url, probe);
    evidence.push(sentence(url, reply, meaning));
    return meaning;
  }

  let meaning = await visit(probe.url);
  const isAnswered = meaning.kind !== "silence";
  const [{ host, addresses } = nowhere] = stops;
  if (!isAddress(host) && addresses.some(isPrivate))
    evidence.push(`${host} is nobody's private address: somebody on the way has answered for it`);
  const isNew = (url: string): boolean => stops.length < mostStops && !stops.some((it) => it.url === url);
  while (meaning.kind === "onward" && isNew(meaning.to)) meaning = await visit(meaning.to);
  const state = meaning.kind === "expected" ? "open" : isAnswered ? "captive" : "offline";
  return { uplink, state, stops, evidence };
}

const nowhere: Stop = { url: "", host: "", addresses: [] };

function sentence(url: string, reply: Reply, meaning: Meaning): string {
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
async function namedResolvers(system: Needs["system"], uplink: string): Promise<string[]> {
  const asked =
    system.list("/run/systemd/resolve").length > 0
      ? await system.run("resolvectl", ["dns", uplink], { timeoutMs: 2000 }).catch(() => "")
      : "";
  const files = ["/etc/resolv.conf", "/run/NetworkManager/no-stub-resolv.conf", "/run/systemd/resolve/resolv.conf"];
  return [asked, ...files.map((path) => system.readText(path) ?? "")].flatMap(readResolvers);
}
