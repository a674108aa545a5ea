import { because, type Reason, reported, sentence } from "@portcullis/contract/reason";
import type { System } from "../../system/system.ts";
import { absent, type LinkState, brokenAfterCrashes } from "../link-state.ts";
import type { Drift, Engine } from "../engine.ts";
import { changedProcess, type ProcessChange } from "../supervisor/supervisor.diff.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import { openManagement, type ManagementClient } from "./management.ts";
import { initialStatus, type Status } from "./management.parse.ts";
import { tunDevices } from "../tun/tun.ts";
import { parseInterfaces } from "../wireguard/wireguard.parse.ts";
import {
  assignedProblems,
  type Change,
  processName,
  configurationOf,
  folderOf,
  type ObservedClient,
  interfaceOf,
  isForeign,
  openvpnChanges,
  type Observed,
  socketOf,
} from "./openvpn.diff.ts";
import type { OpenvpnClient } from "./openvpn.model.ts";

interface Needs {
  readonly system: System;
  readonly supervisor: Supervisor;
  /** Where the management sockets are. */
  readonly folder: string;
  /** A monotonic clock. */
  readonly nowMs: () => number;
  readonly wallMs: () => number;
  /** The state of a client changed, or it requests credentials. */
  readonly onChange: () => void;
  /** The addresses that a server assigned are not used. Called once for each reason. */
  readonly onRefused?: (name: string, reason: Reason) => void;
}

export interface Openvpn extends Engine<readonly OpenvpnClient[], Observed, Change> {
  /** Of every client that is wanted, by its interface. */
  states(): ReadonlyMap<string, LinkState>;
  /** Connects again at once. For tunnels that are down anyway. */
  reconnect(name: string): Promise<void>;
  /** Stops listening. The clients continue to run. */
  close(): void;
}

/** A running client, with the credentials sent since its start. */
interface Client {
  readonly processId: number;
  readonly management: ManagementClient;
  sentCredentials: OpenvpnClient["credentials"];
  /** When the connection was made whose addresses its link has got. What differs afterwards was changed by another program. */
  configuredFor: number | null;
}

/** Drives OpenVPN: one process per client, which reads its keys at the start and is controlled through a socket. */
export function openvpn({ system, supervisor, folder, nowMs, wallMs, onChange, onRefused }: Needs): Openvpn {
  /** The last wanted and observed state, for functions that get neither. */
  let wanted: readonly OpenvpnClient[] = [];
  const tuns = tunDevices(system);
  let privileges: readonly string[] = [];
  let seen: Observed = {
    interfaces: new Set(),
    links: new Map(),
    withoutIpv6: new Set(),
    ownerOf: tuns.ownerOf,
    processes: [],
    clients: new Map(),
  };
  const clients = new Map<string, Client>();
  /** Interface → why its addresses were refused, until it is assigned others. */
  const refused = new Map<string, Reason>();

  function observeNow(): Observed {
    const processes = supervisor.observe("openvpn");
    const running = new Map(
      processes.flatMap(({ name, condition }) =>
        condition.kind === "running" ? [[interfaceOf(name), condition.processId] as const] : [],
      ),
    );
    for (const [name, { processId, management }] of clients)
      if (running.get(name) !== processId) {
        management.close();
        clients.delete(name);
      }
    for (const [name, processId] of running)
      if (!clients.has(name))
        clients.set(name, {
          processId,
          management: openManagement({ system, socket: socketOf(name, folder), nowMs, wallMs, onChange }),
          sentCredentials: null,
          configuredFor: null,
        });
    const observed = new Map([...clients].map(([name, client]) => [name, observedOf(client)]));
    seen = { ...seen, interfaces: new Set(system.list("/sys/class/net")), processes, clients: observed };
    return seen;
  }

  async function observe(): Promise<Observed> {
    observeNow();
    privileges = await tuns.privileges();
    const connected = [...clients].filter(([, { management }]) => management.status().state === "CONNECTED");
    if (connected.length === 0) return seen;
    const links = parseInterfaces(await system.run("ip", ["-j", "address", "show"]));
    const withoutIpv6 = new Set(connected.map(([name]) => name).filter(isWithoutIpv6));
    seen = { ...observeNow(), links, withoutIpv6 };
    return seen;
  }

  const isWithoutIpv6 = (name: string): boolean =>
    system.readText(`/proc/sys/net/ipv6/conf/${name}/disable_ipv6`)?.trim() !== "0";

  function noteRefusals(): void {
    const problems = assignedProblems(wanted, seen);
    for (const { interface: name } of wanted) {
      const problem = problems.get(name);
      if (problem === undefined && seen.clients.get(name)?.status.state !== "CONNECTED") continue;
      if (problem !== undefined && !isSame(refused.get(name), problem)) onRefused?.(name, problem);
      if (problem === undefined) refused.delete(name);
      else refused.set(name, problem);
    }
    for (const name of refused.keys()) if (!wanted.some((it) => it.interface === name)) refused.delete(name);
  }

  const observedOf = ({ management, sentCredentials }: Client): ObservedClient => ({
    status: management.status(),
    mayRelease: management.mayRelease(),
    hasOutdatedCredentials: (credentials) =>
      sentCredentials !== null &&
      (sentCredentials.username !== credentials?.username || sentCredentials.password !== credentials.password),
  });

  async function start(change: ProcessChange): Promise<void> {
    const name = interfaceOf(changedProcess(change));
    const client = wanted.find((it) => it.interface === name);
    if (!client) return;
    // One of an earlier version made its device itself, and takes it along.
    if (seen.interfaces.has(name) && tuns.ownerOf(name) !== client.userId)
      await supervisor.apply([{ kind: "end", name: processName(name) }]);
    const own = folderOf(name, folder);
    system.makeFolder(own, 0o700);
    system.restrict(own, 0o777); // Writable for the program, inside a folder that no other user can enter.
    system.remove(socketOf(name, folder)); // A killed process leaves it.
    await tuns.make(name, client.userId).catch(() => {}); // Without a device the program ends with a message.
    await supervisor.apply([change]);
  }

  async function remove(change: ProcessChange): Promise<void> {
    await supervisor.apply([change]);
    const name = interfaceOf(changedProcess(change));
    await tuns.remove(name);
    system.remove(socketOf(name, folder));
  }

  async function effect(change: Change): Promise<void> {
    switch (change.kind) {
      case "child":
        return change.change.kind === "start" ? start(change.change) : remove(change.change);
      case "replace":
        for (const it of supervisor.changes([change.child], [])) await start(it);
        return;
      case "answer": {
        const client = clients.get(change.interface);
        if (client) client.sentCredentials = change.credentials;
        return client?.management.answer(change.credentials);
      }
      case "release":
        return clients.get(change.interface)?.management.release();
      case "configure": {
        const client = clients.get(change.interface);
        if (client) client.configuredFor = client.management.status().connectedAtMs;
        const stdin = `${change.configuration.lines.join("\n")}\n`;
        await system.run("ip", ["-batch", "-"], { stdin }).catch(() => {}); // Its link may be gone by now; if not, it is tried again.
      }
    }
  }

  const isConfigured = (name: string): boolean => {
    const client = clients.get(name);
    return client?.configuredFor != null && client.configuredFor === client.management.status().connectedAtMs;
  };

  return {
    name: "openvpn",
    observe,
    changes: (desired, actual) => {
      wanted = desired;
      noteRefusals();
      const children = (of: Parameters<Supervisor["changes"]>[0]) => supervisor.changes(of, actual.processes);
      return openvpnChanges(desired, actual, { folder, privileges, children });
    },
    drift: (changes) => changes.filter((it) => it.kind !== "configure" || isConfigured(it.interface)).flatMap(driftOf),
    apply: async (changes) => {
      system.makeFolder(folder, 0o700);
      await Promise.all(changes.map(effect));
      await observe();
    },
    states: () => {
      const now = observeNow();
      return new Map(wanted.map((client) => [client.interface, stateOf(client, now, refused.get(client.interface))]));
    },
    // In a pause between two attempts a signal would make it read its configuration again, which it cannot.
    reconnect: async (name) => {
      const talk = clients.get(name)?.management;
      if (talk?.status().state === "CONNECTED") talk.restart();
      else if (talk && isUnanswered(talk.status())) await supervisor.end(processName(name));
    },
    close: () => {
      for (const { management } of clients.values()) management.close();
      clients.clear();
    },
  };
}

/** An answered password request is no drift. */
function driftOf(change: Change): Drift[] {
  if (change.kind === "replace")
    return [{ resource: interfaceOf(change.child.name), field: "client", expected: "in use", actual: change.reason }];
  if (change.kind === "configure") return [...change.configuration.drift];
  if (change.kind !== "child") return [];
  const isMissing = change.change.kind === "start";
  const name = changedProcess(change.change);
  const [expected, actual] = isMissing ? ["running", null] : [null, "running"];
  return [{ resource: interfaceOf(name), field: "client", expected, actual }];
}

function stateOf(client: OpenvpnClient, seen: Observed, refusal: Reason | undefined): LinkState {
  const name = client.interface;
  const state = seen.processes.find((it) => it.name === processName(name));
  if (isForeign(client, seen)) return broken(because("interface_foreign", { interface: name }));
  if (state?.condition.kind !== "running") {
    const isBroken = (state?.crashes ?? 0) >= brokenAfterCrashes;
    return { ...absent, kind: isBroken ? "broken" : "starting", reason: state?.reason ?? null };
  }
  const status = seen.clients.get(name)?.status ?? initialStatus;
  const { endpoint, connectedAtMs, rxBytes, txBytes, countedAtMs } = status;
  const isReady = refusal === undefined && isInPlace(client, status, seen);
  const trouble = isReady ? undefined : (refusal ?? troubleOf(status));
  return {
    kind: isReady ? "ready" : trouble === undefined ? "starting" : "broken",
    reason: trouble ?? (isReady ? null : reported([status.state, status.detail].filter((it) => it !== "").join(": "))),
    endpoint,
    lastHandshakeMs: connectedAtMs,
    rxBytes,
    txBytes,
    countedAtMs,
  };
}

/** Connected, and its link has what the server assigned. */
const isInPlace = (client: OpenvpnClient, status: Status, seen: Observed): boolean =>
  status.state === "CONNECTED" &&
  seen.interfaces.has(client.interface) &&
  seen.links.has(client.interface) &&
  configurationOf(client, status, { seen, problem: undefined }) === undefined;

/** Problems that do not resolve by waiting. */
function troubleOf({ rejections, isHeld, passwordRequest, fatal }: Status): Reason | undefined {
  if (fatal !== null) return reported(fatal);
  if (rejections > 0) return because(isHeld ? "openvpn_refused_for_now" : "openvpn_refused");
  if (passwordRequest !== null && passwordRequest !== "Auth")
    return because("openvpn_requests", { request: passwordRequest });
  return undefined;
}

/**
 * The server does not answer, and the client retries ever more slowly. A client that has just started, or is connecting, must finish;
 * a rejected one would only be rejected again.
 */
const isUnanswered = ({ state, rejections, isHeld }: Status): boolean =>
  ["WAIT", "TCP_CONNECT", "RECONNECTING"].includes(state) && rejections === 0 && !isHeld;

const isSame = (a: Reason | undefined, b: Reason): boolean => a !== undefined && sentence(a) === sentence(b);

const broken = (reason: Reason): LinkState => ({ ...absent, kind: "broken", reason });
