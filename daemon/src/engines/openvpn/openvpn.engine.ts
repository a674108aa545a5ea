import type { System } from "../../system/system.ts";
import { absent, type CarrierState, hopelessAfterDeaths } from "../carrier.ts";
import type { Drift, Engine } from "../engine.ts";
import { changedChild } from "../keeper/keeper.diff.ts";
import type { Keeper } from "../keeper/keeper.ts";
import { openTalk, type Talk } from "./management.ts";
import { silent, type Status } from "./management.parse.ts";
import {
  type Change,
  childName,
  type Heard,
  interfaceOf,
  isForeign,
  openvpnChanges,
  type Seen,
  socketOf,
} from "./openvpn.diff.ts";
import type { OpenvpnClient } from "./openvpn.model.ts";

interface Needs {
  readonly system: System;
  readonly keeper: Keeper;
  /** Where the management sockets are. */
  readonly folder: string;
  /** A clock that nobody puts back. */
  readonly nowMs: () => number;
  readonly wallMs: () => number;
  /** A client said something: its state is another, or it waits for an answer. */
  readonly onMove: () => void;
}

export interface Openvpn extends Engine<readonly OpenvpnClient[], Seen, Change> {
  /** Of every client that is wanted, by its interface. */
  states(): ReadonlyMap<string, CarrierState>;
  /** Connects again at once. For tunnels that are dead anyway. */
  renew(name: string): Promise<void>;
  /** Listens no longer. The clients go on. */
  close(): void;
}

/** A client that runs, with what it was told since it started. */
interface Client {
  readonly processId: number;
  readonly talk: Talk;
  told: OpenvpnClient["credentials"];
}

/** Drives OpenVPN: a program for each client, which reads its keys at its start and is spoken with through a socket. */
export function openvpn({ system, keeper, folder, nowMs, wallMs, onMove }: Needs): Openvpn {
  /** What was last asked for and last seen; what is pure needs neither. */
  let wanted: readonly OpenvpnClient[] = [];
  let seen: Seen = { interfaces: new Set(), lowered: new Set(), kept: [], talks: new Map() };
  const clients = new Map<string, Client>();

  function look(): Seen {
    const kept = keeper.observe("openvpn");
    const running = new Map(
      kept.flatMap(({ name, condition }) =>
        condition.kind === "running" ? [[interfaceOf(name), condition.processId] as const] : [],
      ),
    );
    for (const [name, { processId, talk }] of clients)
      if (running.get(name) !== processId) {
        talk.close();
        clients.delete(name);
      }
    for (const [name, processId] of running)
      if (!clients.has(name))
        clients.set(name, {
          processId,
          talk: openTalk({ system, socket: socketOf(name, folder), nowMs, wallMs, onMove }),
          told: null,
        });
    const talks = new Map([...clients].map(([name, client]) => [name, heardFrom(client)]));
    const lowered = new Set([...clients.keys()].filter(isLowered));
    seen = { interfaces: new Set(system.list("/sys/class/net")), lowered, kept, talks };
    return seen;
  }

  function isLowered(name: string): boolean {
    try {
      const flags = system.readText(`/sys/class/net/${name}/flags`);
      return flags !== undefined && Number(flags) % 2 === 0;
    } catch {
      return false; // It goes in this very moment.
    }
  }

  const heardFrom = ({ talk, told }: Client): Heard => ({
    status: talk.status(),
    isReleaseDue: talk.isReleaseDue(),
    hasOutdated: (credentials) =>
      told !== null && (told.username !== credentials?.username || told.password !== credentials.password),
  });

  async function effect(change: Change): Promise<void> {
    switch (change.kind) {
      case "child":
        return keeper.apply([change.change]);
      case "replace":
        return keeper.apply(keeper.changes([change.child], []));
      case "answer": {
        const client = clients.get(change.interface);
        if (client) client.told = change.credentials;
        return client?.talk.answer(change.credentials);
      }
      case "release":
        return clients.get(change.interface)?.talk.release();
      case "raise":
        return void (await system.run("ip", ["link", "set", "dev", change.interface, "up"]).catch(() => {})); // It may be gone by now.
    }
  }

  return {
    name: "openvpn",
    observe: async () => look(),
    changes: (desired, actual) => {
      wanted = desired;
      const children = (of: Parameters<Keeper["changes"]>[0]) => keeper.changes(of, actual.kept);
      return openvpnChanges(desired, actual, { folder, children });
    },
    drift: (changes) => changes.flatMap(driftOf),
    apply: async (changes) => {
      system.makeFolder(folder, 0o700);
      await Promise.all(changes.map(effect));
      look();
    },
    states: () => {
      const { kept, ...rest } = look();
      return new Map(wanted.map((client) => [client.interface, stateOf(client.interface, { kept, ...rest })]));
    },
    // In a pause between two attempts a signal would make it read its configuration again, which it cannot.
    renew: async (name) => {
      const talk = clients.get(name)?.talk;
      if (talk?.status().state === "CONNECTED") talk.restart();
      else if (talk && waitsInVain(talk.status())) await keeper.end(childName(name));
    },
    close: () => {
      for (const { talk } of clients.values()) talk.close();
      clients.clear();
    },
  };
}

/** Questions that are answered are nobody's fault. */
function driftOf(change: Change): Drift[] {
  if (change.kind === "replace")
    return [{ resource: interfaceOf(change.child.name), field: "client", expected: "in use", actual: change.reason }];
  if (change.kind === "raise") return [{ resource: change.interface, field: "link", expected: "up", actual: "down" }];
  if (change.kind !== "child") return [];
  const isMissing = change.change.kind === "start";
  const name = changedChild(change.change);
  const [expected, actual] = isMissing ? ["running", null] : [null, "running"];
  return [{ resource: interfaceOf(name), field: "client", expected, actual }];
}

function stateOf(name: string, seen: Seen): CarrierState {
  const kept = seen.kept.find((it) => it.name === childName(name));
  if (isForeign(name, seen)) return broken(`There is an interface called ${name} already, and it is somebody else's`);
  if (kept?.condition.kind !== "running") {
    const isHopeless = (kept?.deaths ?? 0) >= hopelessAfterDeaths;
    return { ...absent, kind: isHopeless ? "broken" : "starting", reason: kept?.reason ?? "" };
  }
  const status = seen.talks.get(name)?.status ?? silent;
  const { endpoint, connectedAtMs, rxBytes, txBytes, countedAtMs } = status;
  const isReady = status.state === "CONNECTED" && seen.interfaces.has(name);
  const trouble = isReady ? undefined : troubleOf(status);
  return {
    kind: isReady ? "ready" : trouble === undefined ? "starting" : "broken",
    reason: trouble ?? (isReady ? "" : [status.state, status.detail].filter((it) => it !== "").join(": ")),
    endpoint,
    lastHandshakeMs: connectedAtMs,
    rxBytes,
    txBytes,
    countedAtMs,
  };
}

/** What waiting does not cure. */
function troubleOf({ refusals, isHeld, question, fatal }: Status): string | undefined {
  if (fatal !== null) return fatal;
  if (refusals > 0) return `The server refuses name and password${isHeld ? "; it is tried again later" : ""}`;
  if (question !== null && question !== "Auth") return `It asks for something nobody told us: ${question}`;
  return undefined;
}

/**
 * Nobody answers it, and it asks ever more slowly. One that has just begun, or is being answered, must be left to finish;
 * one that was refused would only be refused again.
 */
const waitsInVain = ({ state, refusals, isHeld }: Status): boolean =>
  ["WAIT", "TCP_CONNECT", "RECONNECTING"].includes(state) && refusals === 0 && !isHeld;

const broken = (reason: string): CarrierState => ({ ...absent, kind: "broken", reason });
