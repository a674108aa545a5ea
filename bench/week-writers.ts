import { join } from "node:path";
import { openTextStore } from "../daemon/src/ledger/text-store.ts";
import { noUsage, sumOf, type Usage } from "../daemon/src/ledger/traffic-rollup.ts";
import { openTrafficStore, type Subject } from "../daemon/src/ledger/traffic-store.ts";
import { openSightings } from "../daemon/src/monitors/sightings.ts";
import { anomalyPlane, queriesOf } from "../daemon/src/planes/anomalies/anomalies.plane.ts";
import { anomalyStore } from "../daemon/src/planes/anomalies/stored.ts";
import { storedAgeMs, saveMs } from "../daemon/src/planes/discovery/discovery.plane.ts";
import { answeredNames } from "../daemon/src/planes/traffic/answered-names.ts";
import { attribute, type DeviceFlow } from "../daemon/src/planes/traffic/attribution.ts";
import { recorder } from "../daemon/src/planes/traffic/recorder.ts";
import { type AlertStore, alertsService } from "../daemon/src/subsystems/alerts/alerts.service.ts";
import { deviceService } from "../daemon/src/subsystems/devices/devices.service.ts";
import { dnsLogService } from "../daemon/src/subsystems/dns-log/dns-log.service.ts";
import { databaseFiles } from "../daemon/src/system/database-files.ts";
import { dnsLogIn } from "../testing/dns-log.ts";
import { ledgerIn } from "../testing/ledger-file.ts";
import { sampleDevice } from "./sample.ts";
import { type Doing, stepSec, type WeekDevice } from "./week-traffic.ts";

/** What all devices do in one step. */
interface Step {
  readonly atSec: number;
  readonly all: readonly Doing[];
}

interface Needs {
  readonly folder: string;
  readonly beginSec: number;
  readonly addresses: readonly string[];
}

const [policies, tunnels] = [8, 4];

/** Everything of the daemon that writes by itself, with a simulated clock. */
export function openWriters({ folder, beginSec, addresses }: Needs) {
  let nowMs = beginSec * 1000;
  const ledger = ledgerIn(folder);
  const devices = deviceService({
    ledger,
    now: () => new Date(nowMs),
    refuseInUse: () => {},
    seen: { lastSeen: () => () => null },
  });
  const cause = { actor: "bench", action: "create_device", resourceType: "device" };
  const ids = addresses.map((address, n) => devices.create(cause, { ...sampleDevice(n), ips: [address] }).id);
  const idOf = new Map(addresses.map((it, n) => [it, ids[n]!]));

  const textStore = (file: string) =>
    openTextStore({ path: join(folder, file), contents: file, warn: fail, setAside: () => {} });
  const path = join(folder, "traffic.db");
  const traffic = openTrafficStore({ path, warn: fail, ...databaseFiles(path) });
  const records = recorder({ store: traffic, nowMs: () => nowMs, beforeWriting: () => {} });
  const names = answeredNames();
  const log = dnsLogIn(folder, { nowMs: () => nowMs, warn: fail });
  const anomalies = anomalyPlane({
    store: anomalyStore(textStore("anomalies.db")),
    settings: () => ({ enabled: true, sensitivity: "medium", learning_days: 2 }),
    levelOf: () => "full",
    nameOf: (device) => device,
    countries: () => undefined,
    announce: () => {},
  });
  const queries = dnsLogService({
    log,
    levelOf: () => "full",
    levelNow: () => "full",
    deviceOf: () => undefined,
    causeOf: () => ({ resource_type: "dns_list", resource_id: "list-1", name: "Advertisements" }),
    droppedBefore: () => 0,
    onLogged: (answers) =>
      anomalies.onQueries(
        queriesOf(answers, (address) => ({ id: idOf.get(address)! })),
        nowMs,
      ),
    nowMs: () => nowMs,
  });
  const sightings = openSightings({ nowMs: () => nowMs });
  const cards = textStore("discovery.db");
  const alertFile = textStore("alerts.db");
  const alertStore: AlertStore = {
    load: () => [],
    write: (changed, removed) =>
      alertFile.write(
        changed.map((it) => ({ key: it.id, text: JSON.stringify(it) })),
        removed,
      ),
  };
  const alerts = alertsService({ ledger, store: alertStore, announce: () => {}, nowMs: () => nowMs, isWorking: {} });
  let flowId = 0;
  let transferred: (readonly [readonly DeviceFlow[], number])[] = [];

  const at = (atSec: number): void => void (nowMs = (beginSec + atSec) * 1000);
  const isEvery = (atSec: number, seconds: number): boolean => atSec % seconds < stepSec;

  /** A batch for each device that sends queries: the frontends' messages of a fifth of a second are one. */
  function logQueries({ atSec, all }: Step): void {
    at(atSec + stepSec);
    for (const [n, { queries: sent }] of all.entries()) {
      if (sent.length === 0) continue;
      const client = addresses[n]!;
      names.learn(sent.map(({ name, address }) => ({ client, name, addresses: [address] })));
      queries.take(
        sent.map(({ name, isCached }, place) => ({
          atMs: nowMs - 200 * n,
          latencyUs: isCached ? 60 : 21_000 + 300 * place,
          client,
          name,
          type: place % 2 === 0 ? 1 : 28,
          rcode: 0,
          resolver: 3,
          side: isCached ? "cache" : "front",
          verdict: name.length % 8 === 0 ? "block" : "none",
          answers: 2,
          by: name.length % 8 === 0 ? { kind: "list", bit: 1, revision: 5 } : null,
        })),
      );
    }
  }

  const attribution = {
    ownerOf: (address: string) => ({ device: idOf.get(address), level: "full" as const }),
    policyOf: ({ source }: { readonly source: string }) => `policy-${Number(source.split(".")[3]) % policies}`,
    nameOf: names.nameOf,
  };

  function recordTraffic({ atSec, all }: Step): void {
    at(atSec + stepSec);
    const deltas = all.flatMap(({ flows }, n) =>
      flows.map(({ address, sent, received, connections }) => ({
        flow: {
          id: (flowId += 1),
          source: addresses[n]!,
          destination: address,
          mark: 2,
          isDns: false,
          isRedirected: false,
          sent: { packets: 0, bytes: 0 },
          received: { packets: 0, bytes: 0 },
        },
        usage: {
          sentBytes: sent,
          receivedBytes: received,
          sentPackets: Math.ceil(sent / 1000),
          receivedPackets: Math.ceil(received / 1400),
          connections,
        },
      })),
    );
    const { flows, subjects, destinations } = attribute(deltas, attribution);
    const total = subjects.find(({ kind }) => kind === "total")?.usage ?? noUsage;
    records.add({ atMs: nowMs, elapsedMs: stepSec * 1000, subjects: [...subjects, ...links(total)], destinations });
    records.writeIfDue();
    transferred.push([flows, nowMs]);
  }

  /** All tunnels and the uplink have traffic in every reading. */
  const links = (total: Usage): (Subject & { readonly usage: Usage })[] => [
    ...Array.from({ length: tunnels }, (_, n) => ({ kind: "tunnel" as const, id: `tunnel-${n}`, usage: total })),
    { kind: "uplink", id: "wan0", usage: total },
  ];

  function observe({ atSec }: Step): void {
    at(atSec + stepSec);
    for (const [flows, atMs] of transferred) anomalies.onFlows(flows, atMs);
    transferred = [];
    if (isEvery(atSec, 60)) anomalies.round(nowMs);
  }

  function see({ atSec, all }: Step): void {
    at(atSec + stepSec);
    for (const [n, { flows }] of all.entries()) {
      const entry = { mac: sampleDevice(n).mac, address: addresses[n]!, interface: "lan0" };
      if (flows.length > 0) sightings.see({ ...entry, state: "REACHABLE" }, true);
      else if (isEvery(atSec + 7 * n, 60)) sightings.see({ ...entry, state: "STALE" }, true);
    }
    if (isEvery(atSec, 10)) sightings.transitions();
    if (!isEvery(atSec, saveMs / 1000)) return;
    const { cards: changed, removed } = sightings.unstored(isEvery(atSec, storedAgeMs / 1000) ? 0 : Infinity);
    cards.write(
      changed.map((card) => ({ key: card.mac, text: JSON.stringify(card) })),
      removed,
    );
  }

  /** Every half hour an operator changes a device, and every hour something is repaired, which raises an alert. */
  function change({ atSec }: Step): void {
    at(atSec + stepSec);
    if (isEvery(atSec, 1800))
      devices.update({ ...cause, action: "update_device" }, ids[(atSec / 1800) % ids.length]!, {
        notes: `at ${atSec}`,
      });
    if (isEvery(atSec, 3600)) alerts.onEvent("drift.detected", { items: 1, first: `rule ${atSec}` });
    if (isEvery(atSec, 60)) alerts.round();
  }

  /** Weeks before, of which minutes are no longer kept: an hour of each device is written at once. */
  function writeEarlier(days: number, all: readonly WeekDevice[]): void {
    for (let hour = -24 * days; hour < 0; hour += 1) {
      const doings = all.map(({ doing }) => sumOfDoings(doing, (hour + 24 * days) * 3600));
      traffic.write(
        [
          {
            startSec: beginSec + hour * 3600,
            subjects: [
              { kind: "total" as const, id: "", usage: noUsage, samples: [] },
              ...doings.map(({ usage }, n) => ({ kind: "device" as const, id: ids[n]!, usage, samples: [] })),
            ],
          },
        ],
        doings.flatMap(({ destinations }, n) =>
          destinations.map((it) => ({ ...it, device: ids[n]!, destination: `${it.destination}.week.example` })),
        ),
      );
    }
  }

  return {
    ids,
    writeEarlier,
    logQueries,
    recordTraffic,
    observe,
    see,
    change,
    close: () => {
      records.flush();
      traffic.close();
      log.close();
      anomalies.close();
      cards.close();
      alertFile.close();
      ledger.close();
    },
  };
}

/** Ten minutes of an hour stand for all of it. */
function sumOfDoings(doing: WeekDevice["doing"], second: number) {
  const flows = Array.from({ length: 60 }, (_, n) => doing(second + n * stepSec)).flatMap((it) => it.flows);
  const usage = flows.reduce<Usage>(
    (sum, { sent, received, connections }) =>
      sumOf(sum, { ...noUsage, sentBytes: sent, receivedBytes: received, connections }),
    noUsage,
  );
  const destinations = flows.map(({ address, sent, received, connections }) => ({
    destination: address,
    sentBytes: sent,
    receivedBytes: received,
    connections,
  }));
  return { usage, destinations };
}

function fail(message: string, error: unknown): never {
  throw new Error(message, { cause: error });
}
