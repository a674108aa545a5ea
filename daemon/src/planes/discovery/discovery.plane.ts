import type { Announce } from "@portcullis/contract/events";
import { because, explained, type Reason } from "@portcullis/contract/reason";
import type { DiscoverySource } from "../../subsystems/discovery/discovery.service.ts";
import type { DhcpStatusSource } from "../../subsystems/dhcp/dhcp.status.ts";
import { memoize } from "../../compiler/memoize.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { TextStore } from "../../ledger/text-store.ts";
import { clientMessageIn } from "../../monitors/announcements/dhcp.parse.ts";
import { responseIn } from "../../monitors/announcements/mdns.parse.ts";
import { announcementIn } from "../../monitors/announcements/ssdp.parse.ts";
import type { Fact } from "../../monitors/fact.ts";
import { knownDevices } from "../../monitors/seen-devices.ts";
import type { Sighting, Sightings, StoredCard } from "../../monitors/sightings.ts";
import { readVendors, type Vendors } from "../../monitors/vendors.ts";
import { type GroupReceiver, receiveGroup } from "../../system/group-receiver.ts";
import type { System } from "../../system/system.ts";
import type { Compiled } from "../inputs.ts";
import { digest } from "./digest.ts";

interface Needs {
  readonly system: Pick<System, "run" | "readText">;
  readonly ledger: Ledger;
  readonly store: TextStore;
  readonly sightings: Sightings;
  /** undefined: the dataplane is off, and nothing is observed. */
  readonly compiled: (() => Compiled | undefined) | undefined;
  readonly dhcp: DhcpStatusSource;
  readonly announce: Announce;
  readonly nowMs: () => number;
  readonly warn: (message: string, error: unknown) => void;
  readonly receive?: typeof receiveGroup;
}

export interface DiscoveryPlane extends DiscoverySource {
  readonly close: () => void;
}

/** Sources of names, in addition to the neighbour table. */
type Group = "dhcp" | "mdns" | "ssdp";

/** Observes the LANs: what devices send to all, the leases of the DHCP server, and whether idle devices still answer. */
export function openDiscoveryPlane(needs: Needs): DiscoveryPlane {
  const { system, ledger, store, sightings, compiled, dhcp, announce, nowMs, warn } = needs;
  const receive = needs.receive ?? receiveGroup;
  sightings.restore(store.load().flatMap(cardIn));
  let registry: { readonly vendors: Vendors | undefined } | undefined;
  /** Read when they are first needed: that takes a moment. */
  const vendors = (): Vendors | undefined => (registry ??= { vendors: compiled && vendorsIn(system, warn) }).vendors;
  const deviceOf = knownDevices(ledger);
  const lan = () => compiled?.()?.intent.network.lan ?? [];
  const lanAddresses = memoize((now: Compiled | undefined): string[] =>
    (now?.facts.links ?? [])
      .filter(({ name }) => now!.intent.network.lan.includes(name))
      .flatMap(({ addresses = [] }) => addresses.flatMap((it) => it.split("/")[0] ?? []))
      .filter((it) => !it.includes(":")),
  );
  let leaseProblem: Reason | undefined;

  /** What is not from a neighbour on a LAN is ignored. */
  const fromSender =
    (parse: (bytes: Uint8Array, sender: string) => readonly Said[]) => (bytes: Uint8Array, sender: string) => {
      const mac = sightings.macOf(sender);
      if (mac === undefined) return;
      const said = parse(bytes, sender);
      if (said.length > 0) sightings.learn(mac, said.map(now), true);
    };
  const now = (it: Said): Fact => ({ ...it, seenMs: nowMs() });
  const joined = () => lanAddresses(compiled?.());
  const receivers: Partial<Record<Group, GroupReceiver>> = compiled
    ? {
        dhcp: receive({
          address: "255.255.255.255",
          port: 67,
          joined,
          onDatagram: (bytes) => {
            const said = clientMessageIn(bytes);
            if (said) sightings.learn(said.mac, said.facts.map(now), true);
          },
        }),
        mdns: receive({ address: "224.0.0.251", port: 5353, joined, onDatagram: fromSender(responseIn) }),
        ssdp: receive({ address: "239.255.255.250", port: 1900, joined, onDatagram: fromSender(announcementIn) }),
      }
    : {};

  const found = digest<Sighting>((all) => {
    // Its name may have arrived since.
    const seen = all.map((it) => sightings.get(it.mac) ?? it).filter((it) => !deviceOf(it));
    if (seen.length === 0) return;
    announce("device.discovered", { devices: seen.slice(0, maxListed).map(described), omitted: rest(seen) });
  });
  const presence = (event: "device.online" | "device.offline") =>
    digest<Sighting>((all) => {
      const known = all.flatMap((it) => {
        const device = deviceOf(it);
        return device ? [{ device_id: device.id, name: device.name, mac: it.mac, interface: it.interface }] : [];
      });
      if (known.length > 0) announce(event, { devices: known.slice(0, maxListed), omitted: rest(known) });
    });
  const digests = { discovered: found, online: presence("device.online"), offline: presence("device.offline") };
  const described = (it: Sighting) => ({
    mac: it.mac,
    name:
      (it.facts.find(({ field }) => field === "name") ?? it.facts.find(({ field }) => field === "hostname"))?.value ??
      null,
    vendor: vendors()?.of(it.mac) ?? null,
    addresses: it.addresses.map(({ address }) => address),
    interface: it.interface,
  });

  function report(): void {
    const changed = sightings.transitions();
    for (const kind of ["discovered", "online", "offline"] as const) digests[kind].add(changed[kind]);
  }

  /** The kernel sends ARP requests or neighbour solicitations, and reports the answer like any other change of its table. */
  async function probe(): Promise<void> {
    const probed = sightings.toProbe(maxProbed).filter((it) => lan().includes(it.interface));
    if (probed.length === 0) return;
    const lines = probed.map((it) => `neigh replace ${it.address} dev ${it.interface} use`);
    // An interface that is gone fails its lines only.
    await system.run("ip", ["-force", "-batch", "-"], { stdin: `${lines.join("\n")}\n` }).catch(() => {});
  }

  async function readLeases(): Promise<void> {
    try {
      for (const { mac, hostname } of await dhcp.leases())
        if (hostname) sightings.learn(mac, [now({ field: "hostname", value: hostname, source: "lease" })], false);
      leaseProblem = undefined;
    } catch (error) {
      leaseProblem = because("reported", { message: (error as Error).message });
    }
  }

  function save(afterMs: number): void {
    const { cards, removed } = sightings.unstored(afterMs);
    store.write(
      cards.map((card) => ({ key: card.mac, text: JSON.stringify(card) })),
      removed,
    );
  }

  function forgetOld(): void {
    const isKnown = (it: Sighting) => deviceOf(it) !== undefined;
    const atMs = nowMs();
    sightings.forget(atMs - keptDays.others * dayMs, isKnown);
    sightings.forget(atMs - keptDays.random * dayMs, (it) => isKnown(it) || !isRandomMac(it.mac));
  }

  const timers = compiled
    ? [
        setInterval(report, reportMs),
        setInterval(() => void probe(), probeMs),
        setInterval(() => void readLeases(), leaseMs),
        setInterval(() => save(Infinity), saveMs),
        setInterval(() => save(0), storedAgeMs),
        setInterval(forgetOld, 3_600_000),
      ]
    : [];
  for (const timer of timers) timer.unref();

  return {
    all: () => sightings.all(),
    get: (mac) => sightings.get(mac),
    vendorOf: (mac) => vendors()?.of(mac),
    sources: () => {
      const off = compiled ? undefined : because("dataplane_off");
      const group = (source: Group) => {
        const problem = receivers[source]?.problem();
        const reason =
          problem?.kind === "overloaded" ? because("discovery_overloaded") : problem && because("reported", problem);
        return sourceOf(source, off, reason, lan());
      };
      return [
        sourceOf("neighbours", off, undefined, lan()),
        group("dhcp"),
        sourceOf("lease", off, leaseProblem, []),
        group("mdns"),
        group("ssdp"),
        sourceOf("vendors", off, vendors() ? undefined : because("vendors_not_installed"), []),
      ];
    },
    close: () => {
      for (const timer of timers) clearInterval(timer);
      for (const it of Object.values(receivers)) it.close();
      // Their timers would outlive the ledger, and what they have collected counts as announced from now on.
      for (const it of Object.values(digests)) it.flush();
      if (compiled) save(0);
      store.close();
    },
  };
}

type Said = Omit<Fact, "seenMs">;

function sourceOf(
  source: ReturnType<DiscoverySource["sources"]>[number]["source"],
  off: Reason | undefined,
  problem: Reason | undefined,
  interfaces: readonly string[],
) {
  const status = off ? ("off" as const) : problem ? ("failed" as const) : ("working" as const);
  const works = status === "working";
  return { source, status, ...explained(off ?? problem ?? null), interfaces: works ? [...interfaces] : [] };
}

function vendorsIn(system: Pick<System, "readText">, warn: Needs["warn"]): Vendors | undefined {
  try {
    return readVendors(system);
  } catch (error) {
    warn("The registry of vendors cannot be read", error);
    return undefined;
  }
}

/** A row of another version is left out: the device is observed again. */
function cardIn(text: string): StoredCard[] {
  try {
    return [JSON.parse(text) as StoredCard];
  } catch {
    return [];
  }
}

const isRandomMac = (mac: string): boolean => (Number.parseInt(mac.slice(0, 2), 16) & 2) === 2;
const rest = (all: readonly unknown[]): number => Math.max(0, all.length - maxListed);

const maxListed = 20;
const maxProbed = 200;
const reportMs = 1000;
const probeMs = 10_000;
const leaseMs = 60_000;
/**
 * New cards and names are written within a minute; the times of all cards together every 15 minutes, because several cards share a page, and
 * at the end.
 */
export const saveMs = 60_000;
export const storedAgeMs = 900_000;
const dayMs = 86_400_000;
const keptDays = { random: 7, others: 30 } as const;
