import { because, type Reason, sentence } from "@portcullis/contract/reason";
import { serial, untilReady } from "../../system/async.ts";
import type { System } from "../../system/system.ts";
import { reasonOf } from "../error-reason.ts";
import type { LinkState } from "../link-state.ts";
import type { Engine } from "../engine.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import type { ProcessSpec, ProcessState } from "../supervisor/supervisor.model.ts";
import {
  type Alteration,
  alterationOf,
  type Change,
  processName,
  type CreationRecord,
  type Observed,
  presenceOf,
  wireguardChanges,
} from "./wireguard.diff.ts";
import { sandboxedTunnel } from "../tun/tun.model.ts";
import { tunDevices } from "../tun/tun.ts";
import type { WireguardLink } from "./wireguard.model.ts";
import { creationRecords } from "./creation-records.ts";
import { wgFolder, wireguardDevices } from "./devices.ts";
import { linkStateOf } from "./link-state.machine.ts";
import { type Device, parseInterfaces } from "./wireguard.parse.ts";
import { renderConf } from "./wireguard.render.ts";

interface Needs {
  readonly system: System;
  readonly supervisor: Supervisor;
  /** It holds the records of the interfaces we created. */
  readonly folder: string;
  readonly wallMs: () => number;
}

export interface Wireguard extends Engine<readonly WireguardLink[], Observed, Change> {
  /** Of every wanted interface, as last observed. */
  states(): ReadonlyMap<string, LinkState>;
  /** Drops the sessions of an interface, so that a handshake starts at once. For tunnels that are down anyway. */
  reconnect(name: string): Promise<void>;
}

/**
 * Drives WireGuard: in the kernel where possible, otherwise by a supervised process per interface. Keys reach
 * it through memory only. Interfaces that we did not create are never touched.
 */
export function wireguard({ system, supervisor, folder, wallMs }: Needs): Wireguard {
  /** The last wanted and observed state, for functions that get neither. */
  let wanted: readonly WireguardLink[] = [];
  let seen: Observed = { interfaces: new Map(), devices: new Map(), made: new Map(), owned: new Set(), processes: [] };
  /** When the counters of each interface were last read. */
  const countedAtMs = new Map<string, number>();
  const tuns = tunDevices(system);
  const devices = wireguardDevices(system, (name) => `${folderOf(name, folder)}/${name}.sock`);
  const records = creationRecords(system, folder);
  const failures = new Map<string, Reason>();
  /** Determined by the first attempt. */
  let kernelCan: boolean | undefined;
  /** Changes and reconnects are serialized. */
  const inTurn = serial();

  async function observe(): Promise<Observed> {
    const processes = supervisor.observe("wireguard");
    const made = records.read(processes);
    const interfaces = parseInterfaces(await system.run("ip", ["-j", "address", "show"]));
    // Not `wg show all`: it would also query every process in other network namespaces.
    const ours = [...made.keys()].filter((name) => interfaces.has(name));
    const answers = await Promise.all(
      ours.map(async (name) => [name, await readDevice(name, made.get(name)!.by)] as const),
    );
    for (const [name, device] of answers) if (device) countedAtMs.set(name, wallMs());
    const owned = new Set(ours.filter((name) => tuns.ownerOf(name) !== undefined));
    const answering = new Map(answers.filter((it): it is [string, Device] => it[1] !== undefined));
    seen = { interfaces, devices: answering, made, owned, processes };
    return seen;
  }

  const readDevice = async (name: string, by: CreationRecord["by"]): Promise<Device | undefined> =>
    by === "kernel" || isRunning(name) ? devices.read(name, by) : undefined;

  async function make(link: WireguardLink): Promise<void> {
    const name = link.interface;
    // A device that outlasted its process is reused.
    const isKept = tuns.ownerOf(name) !== undefined;
    if (!isKept && kernelCan !== false && (await madeByKernel(name))) return fill(link, "kernel");
    records.write(name, { by: "program", endpoints: {} });
    const own = folderOf(name, folder);
    system.makeFolder(own, 0o700);
    system.restrict(own, 0o777); // Writable for the program, inside a folder that no other user can enter.
    devices.removeSockets(name);
    await tuns.make(name, link.userId);
    const state = childOf(name);
    const program = programFor(link, folder, await tuns.privileges());
    await supervisor.apply(supervisor.changes([program], state ? [state] : []));
    return fill(link, "program");
  }

  async function madeByKernel(name: string): Promise<boolean> {
    records.write(name, { by: "kernel", endpoints: {} });
    try {
      await system.run("ip", ["link", "add", "dev", name, "type", "wireguard"]);
      kernelCan = true;
    } catch (error) {
      records.remove(name);
      kernelCan = !/unknown device type|not supported/i.test((error as Error).message);
      if (kernelCan) throw error;
    }
    return kernelCan;
  }

  /** Configured completely before it is up: its first packet has the right egress. */
  async function fill(link: WireguardLink, by: CreationRecord["by"]): Promise<void> {
    const name = link.interface;
    const device = await firstAnswer(name, by);
    const standing =
      device && parseInterfaces(await system.run("ip", ["-j", "address", "show", "dev", name])).get(name);
    if (!device || !standing) {
      const reason = childOf(name)?.reason ?? because("program_never_up");
      if (isRunning(name)) await supervisor.end(processName(name)); // It hangs.
      await system.run("wg", ["--version"]); // If wg is missing, that is the better error message.
      throw reason.code === "reported" ? new Error(reason.params.message) : new NotUp(reason);
    }
    const alteration = alterationOf(link, { link: standing, device, made: { by, endpoints: {} } });
    if (alteration) await alter(link, by, alteration);
  }

  /** Queries a process that has just been started until it answers or ends. */
  async function firstAnswer(name: string, by: CreationRecord["by"]): Promise<Device | undefined> {
    const found = await untilReady(
      async () => {
        const device = await readDevice(name, by);
        return device || by === "kernel" || !isRunning(name) ? { device } : undefined;
      },
      { limitMs: startMs, everyMs: 25 },
    );
    return found?.device;
  }

  const childOf = (name: string): ProcessState | undefined => supervisor.find(processName(name));
  const isRunning = (name: string): boolean => childOf(name)?.condition.kind === "running";

  async function alter(link: WireguardLink, by: CreationRecord["by"], { conf, lines }: Alteration): Promise<void> {
    const name = link.interface;
    if (conf !== undefined) {
      await devices.configure("syncconf", name, by, conf);
      const endpoints = link.peers.flatMap(({ publicKey, endpoint }) =>
        endpoint === null ? [] : [[publicKey, endpoint]],
      );
      records.write(name, { by, endpoints: Object.fromEntries(endpoints) as CreationRecord["endpoints"] });
    }
    if (lines.length > 0) await system.run("ip", ["-batch", "-"], { stdin: `${lines.join("\n")}\n` });
  }

  async function remove(name: string): Promise<void> {
    const { by } = seen.made.get(name) ?? { by: "program" };
    await supervisor.apply([{ kind: "end", name: processName(name) }]);
    if (by === "kernel" && seen.interfaces.has(name)) await system.run("ip", ["link", "del", "dev", name]);
    if (by === "program") {
      await tuns.remove(name);
      devices.removeSockets(name);
    }
    records.remove(name);
  }

  /** A failure does not affect the other interfaces; it is stored for the state. */
  async function effect(change: Change): Promise<void> {
    const name = change.kind === "remove" ? change.interface : change.link.interface;
    try {
      if (change.kind === "remove") await remove(name);
      else if (change.kind === "make") await make(change.link);
      else await alter(change.link, seen.made.get(name)?.by ?? "program", change.alteration);
      failures.delete(name);
    } catch (error) {
      const keys = change.kind === "remove" ? [] : keysOf(change.link);
      failures.set(
        name,
        error instanceof NotUp ? error.reason : reasonOf(error, (message) => withoutKeys(message, keys)),
      );
    }
  }

  async function renew(name: string): Promise<void> {
    const link = wanted.find((it) => it.interface === name);
    const presence = presenceOf(name, seen);
    if (presence.kind === "unresponsive") return supervisor.end(processName(name));
    if (!link || presence.kind !== "ours") return;
    // Its process has just crashed; the supervisor decides when it restarts.
    if (!system.list("/sys/class/net").includes(name)) return;
    const { listenPort } = presence.device;
    const conf = (of: WireguardLink) => renderConf(of, { listenPort, withEndpoint: () => true });
    try {
      await devices.configure("setconf", name, presence.made.by, conf({ ...link, peers: [] }));
      await devices.configure("setconf", name, presence.made.by, conf(link));
    } catch {
      await supervisor.end(processName(name)); // It no longer listens; the process is restarted.
    }
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
    states: () => new Map(wanted.map((link) => [link.interface, linkStateOf(link, seen, failures, countedAtMs)])),
    reconnect: (name) => inTurn(() => renew(name)),
  };
}

/** A device that was not usable in time. */
class NotUp extends Error {
  readonly reason: Reason;
  constructor(reason: Reason) {
    super(sentence(reason));
    this.reason = reason;
  }
}

const startMs = 3000;

const folderOf = (name: string, folder: string): string => `${folder}/${name}`;

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

const keysOf = ({ privateKey, peers }: WireguardLink): string[] => [
  privateKey,
  ...peers.flatMap(({ presharedKey }) => presharedKey ?? []),
];

/** wg quotes a key that it cannot read. */
const withoutKeys = (message: string, keys: readonly string[]): string =>
  keys.filter((key) => key !== "").reduce((text, key) => text.replaceAll(key, "…"), message);
