import type { System } from "../../system/system.ts";
import { absent, type LinkState, brokenAfterCrashes } from "../link-state.ts";
import type { Engine } from "../engine.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import type { ProcessSpec, ProcessState } from "../supervisor/supervisor.model.ts";
import {
  type Alteration,
  alterationOf,
  type Change,
  processName,
  interfaceOf,
  type CreationRecord,
  type Observed,
  presenceOf,
  wireguardChanges,
} from "./wireguard.diff.ts";
import { sandboxedTunnel } from "../tun/tun.model.ts";
import { tunDevices } from "../tun/tun.ts";
import type { WireguardLink } from "./wireguard.model.ts";
import { type Device, parseAnswer, parseDump, parseInterfaces } from "./wireguard.parse.ts";
import { renderConf } from "./wireguard.render.ts";

interface Needs {
  readonly system: System;
  readonly supervisor: Supervisor;
  /** Where it is written down which interfaces we made. */
  readonly folder: string;
  readonly wallMs: () => number;
}

export interface Wireguard extends Engine<readonly WireguardLink[], Observed, Change> {
  /** Of every interface that is wanted, as it was last seen. */
  states(): ReadonlyMap<string, LinkState>;
  /** Forgets the sessions of an interface, so that it shakes hands at once. For tunnels that are dead anyway. */
  reconnect(name: string): Promise<void>;
}

/**
 * Drives WireGuard: by the kernel where it can, otherwise by a program that is kept running for each interface. Keys reach
 * it through memory only. Interfaces that we did not make are never touched.
 */
export function wireguard({ system, supervisor, folder, wallMs }: Needs): Wireguard {
  /** What was last asked for and last seen; what is pure needs neither. */
  let wanted: readonly WireguardLink[] = [];
  let seen: Observed = { interfaces: new Map(), devices: new Map(), made: new Map(), owned: new Set(), processes: [] };
  /** When the counters of each interface were last read. */
  const countedAtMs = new Map<string, number>();
  const tuns = tunDevices(system);
  const failures = new Map<string, string>();
  /** Found out by trying. */
  let kernelCan: boolean | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  async function observe(): Promise<Observed> {
    const processes = supervisor.observe("wireguard");
    const made = readMade(processes);
    const interfaces = parseInterfaces(await system.run("ip", ["-j", "address", "show"]));
    // Not `wg show all`: it would also ask every program of other network namespaces.
    const ours = [...made.keys()].filter((name) => interfaces.has(name));
    const answers = await Promise.all(ours.map(async (name) => [name, await ask(name, made.get(name)!.by)] as const));
    for (const [name, device] of answers) if (device) countedAtMs.set(name, wallMs());
    const devices = new Map(answers.filter((it): it is [string, Device] => it[1] !== undefined));
    const owned = new Set(ours.filter((name) => tuns.ownerOf(name) !== undefined));
    seen = { interfaces, devices, made, owned, processes };
    return seen;
  }

  /** Nothing if it does not answer, or not in time: a program may be there and yet stand still. */
  async function ask(name: string, by: CreationRecord["by"]): Promise<Device | undefined> {
    if (by === "kernel")
      return system.run("wg", ["show", name, "dump"], { timeoutMs: answerMs }).then(parseDump, () => undefined);
    return isRunning(name) ? askProgram(name) : undefined;
  }

  /** Not by wg: that is a process for each look, and it removes a socket whose program is about to listen. */
  function askProgram(name: string): Promise<Device | undefined> {
    const { promise, resolve } = Promise.withResolvers<Device | undefined>();
    const lines: string[] = [];
    const timer = setTimeout(() => resolve(undefined), answerMs);
    const socket = system.connectUnix(
      socketOf(name, folder),
      (line) => {
        if (line.startsWith("errno=")) resolve(line === "errno=0" ? parseAnswer(lines) : undefined);
        else if (line !== "") lines.push(line);
      },
      () => resolve(undefined),
    );
    for (const line of ["get=1", ""]) socket.write(line);
    return promise.finally(() => {
      clearTimeout(timer);
      socket.close();
    });
  }

  async function make(link: WireguardLink): Promise<void> {
    const name = link.interface;
    // A device that outlasted its program is for the next one.
    const isKept = tuns.ownerOf(name) !== undefined;
    if (!isKept && kernelCan !== false && (await madeByKernel(name))) return fill(link, "kernel");
    write(name, { by: "program", endpoints: {} });
    const own = folderOf(name, folder);
    system.makeFolder(own, 0o700);
    system.restrict(own, 0o777); // The program's to write into, inside of a folder that no other user enters.
    system.remove(socketOf(name, folder)); // One that was killed leaves it.
    await tuns.make(name, link.userId);
    const state = childOf(name);
    const program = programFor(link, folder, await tuns.privileges());
    await supervisor.apply(supervisor.changes([program], state ? [state] : []));
    return fill(link, "program");
  }

  async function madeByKernel(name: string): Promise<boolean> {
    write(name, { by: "kernel", endpoints: {} });
    try {
      await system.run("ip", ["link", "add", "dev", name, "type", "wireguard"]);
      kernelCan = true;
    } catch (error) {
      system.remove(recordOf(name));
      kernelCan = !/unknown device type|not supported/i.test((error as Error).message);
      if (kernelCan) throw error;
    }
    return kernelCan;
  }

  /** Whole before it is up: its very first packet leaves the right way. */
  async function fill(link: WireguardLink, by: CreationRecord["by"]): Promise<void> {
    const name = link.interface;
    const device = await firstAnswer(name, by);
    const standing =
      device && parseInterfaces(await system.run("ip", ["-j", "address", "show", "dev", name])).get(name);
    if (!device || !standing) {
      const reason = childOf(name)?.reason;
      if (isRunning(name)) await supervisor.end(processName(name)); // It stands still.
      await system.run("wg", ["--version"]); // Without it nobody can be asked, and that says more.
      throw new Error(reason || "It does not come up");
    }
    const alteration = alterationOf(link, { link: standing, device, made: { by, endpoints: {} } });
    if (alteration) await alter(link, by, alteration);
  }

  /** A program that has just been started is asked until it answers, or is no more. */
  async function firstAnswer(name: string, by: CreationRecord["by"]): Promise<Device | undefined> {
    for (const until = performance.now() + startMs; performance.now() < until; ) {
      const device = await ask(name, by);
      if (device || by === "kernel" || !isRunning(name)) return device;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    return undefined;
  }

  const childOf = (name: string): ProcessState | undefined => supervisor.find(processName(name));
  const isRunning = (name: string): boolean => childOf(name)?.condition.kind === "running";

  async function alter(link: WireguardLink, by: CreationRecord["by"], { conf, lines }: Alteration): Promise<void> {
    const name = link.interface;
    if (conf !== undefined) {
      await configure("syncconf", name, by, conf);
      const endpoints = link.peers.flatMap(({ publicKey, endpoint }) =>
        endpoint === null ? [] : [[publicKey, endpoint]],
      );
      write(name, { by, endpoints: Object.fromEntries(endpoints) as CreationRecord["endpoints"] });
    }
    if (lines.length > 0) await system.run("ip", ["-batch", "-"], { stdin: `${lines.join("\n")}\n` });
  }

  async function configure(
    verb: "setconf" | "syncconf",
    name: string,
    by: CreationRecord["by"],
    conf: string,
  ): Promise<void> {
    if (by === "program") await showToWg(name);
    await system.inMemory(conf, (path) => system.run("wg", [verb, name, path], { timeoutMs: answerMs }));
  }

  /** wg looks for sockets in one folder, and removes one from there that does not answer at once. */
  async function showToWg(name: string): Promise<void> {
    system.makeFolder(wgFolder, 0o755);
    await system.run("ln", ["-sfn", socketOf(name, folder), wgSocketOf(name)]);
  }

  async function remove(name: string): Promise<void> {
    const { by } = seen.made.get(name) ?? { by: "program" };
    await supervisor.apply([{ kind: "end", name: processName(name) }]);
    if (by === "kernel" && seen.interfaces.has(name)) await system.run("ip", ["link", "del", "dev", name]);
    if (by === "program") {
      await tuns.remove(name);
      for (const socket of [wgSocketOf(name), socketOf(name, folder)]) system.remove(socket);
    }
    system.remove(recordOf(name));
  }

  /** One that goes wrong does not keep the others waiting; what went wrong is remembered with it. */
  async function effect(change: Change): Promise<void> {
    const name = change.kind === "remove" ? change.interface : change.link.interface;
    try {
      if (change.kind === "remove") await remove(name);
      else if (change.kind === "make") await make(change.link);
      else await alter(change.link, seen.made.get(name)?.by ?? "program", change.alteration);
      failures.delete(name);
    } catch (error) {
      const keys = change.kind === "remove" ? [] : keysOf(change.link);
      failures.set(name, withoutKeys((error as Error).message, keys));
    }
  }

  async function renew(name: string): Promise<void> {
    const link = wanted.find((it) => it.interface === name);
    const standing = presenceOf(name, seen);
    if (standing.kind === "unresponsive") return supervisor.end(processName(name));
    if (!link || standing.kind !== "ours") return;
    // Its program has just died, and its keeper knows how soon the next one may begin.
    if (!system.list("/sys/class/net").includes(name)) return;
    const { listenPort } = standing.device;
    const conf = (of: WireguardLink) => renderConf(of, { listenPort, withEndpoint: () => true });
    try {
      await configure("setconf", name, standing.made.by, conf({ ...link, peers: [] }));
      await configure("setconf", name, standing.made.by, conf(link));
    } catch {
      await supervisor.end(processName(name)); // It no longer listens. Another one will.
    }
  }

  /** Changes and renewals come one after the other. */
  function inTurn<T>(task: () => Promise<T>): Promise<T> {
    const mine = turn.then(task, task);
    turn = mine.catch(() => {});
    return mine;
  }

  const recordOf = (name: string): string => `${folder}/${name}.json`;
  function write(name: string, made: CreationRecord): void {
    system.makeFolder(folder, 0o700);
    system.writeAtomically(recordOf(name), JSON.stringify(made), 0o600);
  }

  /** A program that runs for an interface made it, whether that was written down or not. */
  function readMade(processes: readonly ProcessState[]): ReadonlyMap<string, CreationRecord> {
    const running = processes
      .filter(({ condition }) => condition.kind === "running")
      .map(({ name }) => interfaceOf(name));
    const records = system.list(folder).filter((file) => file.endsWith(".json"));
    const written = records.flatMap((file): [string, CreationRecord][] => {
      const made = readRecord(system.readText(`${folder}/${file}`) ?? "");
      return made ? [[file.slice(0, -".json".length), made]] : [];
    });
    return new Map([
      ...running.map((name): [string, CreationRecord] => [name, { by: "program", endpoints: {} }]),
      ...written,
    ]);
  }

  return {
    name: "wireguard",
    observe,
    changes: (desired, actual) => {
      wanted = desired;
      return wireguardChanges(desired, actual);
    },
    drift: (changes) =>
      changes.flatMap((change) => {
        if (change.kind === "alter") return change.alteration.drift;
        const isMissing = change.kind === "make";
        const resource = isMissing ? change.link.interface : change.interface;
        return [
          { resource, field: "interface", expected: isMissing ? "there" : null, actual: isMissing ? null : "there" },
        ];
      }),
    apply: (changes) =>
      inTurn(async () => {
        await Promise.all(changes.map(effect));
        await observe();
      }),
    states: () => new Map(wanted.map((link) => [link.interface, stateOf(link, seen, failures, countedAtMs)])),
    reconnect: (name) => inTurn(() => renew(name)),
  };
}

function readRecord(text: string): CreationRecord | undefined {
  try {
    return JSON.parse(text) as CreationRecord;
  } catch {
    return undefined; // It was not written by us, or not to its end.
  }
}

/** A program answers within milliseconds, or stands still. */
const answerMs = 2000;
const startMs = 3000;

const wgFolder = "/var/run/wireguard";
const wgSocketOf = (name: string): string => `${wgFolder}/${name}.sock`;
const folderOf = (name: string, folder: string): string => `${folder}/${name}`;
const socketOf = (name: string, folder: string): string => `${folderOf(name, folder)}/${name}.sock`;

const programFor = (
  { interface: name, userId }: WireguardLink,
  folder: string,
  privileges: readonly string[],
): ProcessSpec => ({
  name: processName(name),
  ...sandboxedTunnel({
    command: "env",
    args: ["LOG_LEVEL=error", "WG_PROCESS_FOREGROUND=1", "wireguard-go", "-f", name],
    userId,
    folder: { inside: wgFolder, path: folderOf(name, folder) },
    // It would end if it could not set an MTU at its start. The right one is set by us.
    rules: { pretended: [setMtu] },
    privileges,
  }),
  stdin: "",
});

/** SIOCSIFMTU */
const setMtu = 0x8922;

function stateOf(
  link: WireguardLink,
  seen: Observed,
  failures: ReadonlyMap<string, string>,
  countedAtMs: ReadonlyMap<string, number>,
): LinkState {
  const failure = failures.get(link.interface);
  const standing = presenceOf(link.interface, seen);
  const child = processName(link.interface);
  const state = seen.processes.find(({ name }) => name === child);
  if (standing.kind === "foreign")
    return broken(`There is an interface called ${link.interface} already, which Portcullis did not create`);
  const isWhole = standing.kind === "ours" && alterationOf(link, standing) === undefined;
  if (failure !== undefined && !isWhole) return broken(failure);
  if (standing.kind === "unresponsive") return broken("It does not answer");
  if (standing.kind !== "ours") {
    const isHopeless = (state?.crashes ?? 0) >= brokenAfterCrashes;
    return { ...absent, kind: isHopeless ? "broken" : "starting", reason: state?.reason ?? "" };
  }
  const { peers } = standing.device;
  const handshakes = peers.flatMap(({ lastHandshakeMs }) => lastHandshakeMs ?? []);
  return {
    kind: isWhole ? "ready" : "starting",
    reason: "",
    endpoint: peers.find(({ endpoint }) => endpoint !== null)?.endpoint ?? null,
    lastHandshakeMs: handshakes.length === 0 ? null : Math.max(...handshakes),
    rxBytes: peers.reduce((sum, { rxBytes }) => sum + rxBytes, 0),
    txBytes: peers.reduce((sum, { txBytes }) => sum + txBytes, 0),
    countedAtMs: countedAtMs.get(link.interface) ?? null,
  };
}

const broken = (reason: string): LinkState => ({ ...absent, kind: "broken", reason });

const keysOf = ({ privateKey, peers }: WireguardLink): string[] => [
  privateKey,
  ...peers.flatMap(({ presharedKey }) => presharedKey ?? []),
];

/** wg quotes a key that it cannot read. */
const withoutKeys = (message: string, keys: readonly string[]): string =>
  keys.filter((key) => key !== "").reduce((text, key) => text.replaceAll(key, "…"), message);
