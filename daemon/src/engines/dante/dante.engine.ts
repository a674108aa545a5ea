import { because, type Reason } from "@portcullis/contract/reason";
import type { IpListing } from "../../system/iplisting.ts";
import type { System } from "../../system/system.ts";
import { sandboxed } from "../sandbox/sandbox.model.ts";
import { driftOfProcesses, type ProgramState, stateAmong } from "../sandbox/program-state.model.ts";
import type { Engine } from "../engine.ts";
import { changedProcess, type ProcessChange } from "../supervisor/supervisor.diff.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import type { ProcessSpec, ProcessState } from "../supervisor/supervisor.model.ts";
import type { CachedReader } from "../freshness.ts";
import type { SocksListener } from "./dante.model.ts";
import { firstAddresses } from "./dante.parse.ts";
import { impediment, renderDante, renderShadow } from "./dante.render.ts";

interface Needs {
  readonly system: System;
  readonly supervisor: Supervisor;
  readonly listing: CachedReader<IpListing>;
  /** Where settings lie that danted is shown; it begins with a slash. */
  readonly folder: string;
}

export interface ObservedListeners {
  readonly processes: readonly ProcessState[];
  /** Interface → its addresses: they are part of danted's configuration. */
  readonly addresses: ReadonlyMap<string, readonly string[]>;
}

/** A child to start or end, and the settings to lay out for one that is started. */
export interface ListenerChange {
  readonly child: ProcessChange;
  readonly settings: Readonly<Record<string, string>>;
  readonly credentials: SocksListener["credentials"];
}

interface DanteEngine extends Engine<readonly SocksListener[], ObservedListeners, ListenerChange> {
  readonly states: (wanted: readonly SocksListener[]) => Promise<readonly ProgramState[]>;
}

/** One supervised, sandboxed danted per listener. A listener that cannot run is reported and affects no other. */
export function danteEngine({ system, supervisor, listing, folder }: Needs): DanteEngine {
  const observe = async (): Promise<ObservedListeners> => {
    const { v4, v6 } = await listing.read();
    const families = [firstAddresses(v4.addresses), firstAddresses(v6.addresses)];
    const names = new Set(families.flatMap((it) => [...it.keys()]));
    return {
      processes: supervisor.observe("dante"),
      addresses: new Map([...names].map((name) => [name, families.flatMap((it) => it.get(name) ?? [])])),
    };
  };
  /** Named after what they say: other settings are other files, and so another program to start. */
  const fileOf = (userId: number, text: string) => `${folder}/${prefix}${userId}-${system.digest(text)}`;

  function prepared(listener: SocksListener, addresses: readonly string[]) {
    const { listen, userId, credentials } = listener;
    const files = Object.entries(renderDante(listener, addresses));
    const program = sandboxed({
      command: "danted",
      args: ["-f", "/etc/danted.conf", "-p", "/dev/null"],
      userId,
      shown: Object.fromEntries(files.map(([name, text]) => [`/etc/${name}`, fileOf(userId, text)])),
      fromStdin: "/etc/shadow",
      port: listen.port,
    });
    // Identified by the settings; danted's input is made at the start.
    const child: ProcessSpec = { name: nameOf(listener), ...program, stdin: JSON.stringify(credentials) };
    return { child, credentials, settings: Object.fromEntries(files.map(([, text]) => [fileOf(userId, text), text])) };
  }

  /** The password reaches only the program that hashes it. */
  async function shadow(credentials: SocksListener["credentials"]): Promise<string> {
    if (!credentials) return "";
    const hash = await system.run("openssl", ["passwd", "-6", "-stdin"], { stdin: `${credentials.password}\n` });
    return renderShadow(credentials.username, hash.trim());
  }

  return {
    name: "dante",
    observe,
    changes: (wanted, { processes, addresses }) => {
      const all = wanted
        .filter((it) => obstacle(it, addresses) === undefined)
        .map((it) => prepared(it, addresses.get(it.interface)!));
      return supervisor
        .changes(
          all.map(({ child }) => child),
          processes,
        )
        .map((child) => {
          const of = child.kind === "start" ? all.find((it) => it.child.name === child.spec.name) : undefined;
          return { child, settings: of?.settings ?? {}, credentials: of?.credentials ?? null };
        });
    },
    drift: (changes) => driftOfProcesses(changes.map(({ child }) => child)),
    apply: async (changes) => {
      system.makeFolder(folder, 0o755);
      const ready: ProcessChange[] = [];
      for (const { child, settings, credentials } of changes) {
        const name = changedProcess(child);
        for (const [path, text] of Object.entries(settings)) system.writeAtomically(path, text, 0o644);
        for (const file of system.list(folder).filter((it) => it.startsWith(`${name}-`)))
          if (!(`${folder}/${file}` in settings)) system.remove(`${folder}/${file}`);
        if (child.kind === "end") ready.push(child);
        else ready.push({ ...child, spec: { ...child.spec, stdin: await shadow(credentials) } });
      }
      await supervisor.apply(ready);
    },
    states: async (wanted) => {
      const { processes, addresses } = await observe();
      return wanted.map((it) =>
        stateAmong(processes, nameOf(it), { name: it.name, impediment: obstacle(it, addresses) }),
      );
    },
  };
}

const prefix = "dante.";
const nameOf = ({ userId }: SocksListener): string => `${prefix}${userId}`;

const obstacle = (listener: SocksListener, addresses: ObservedListeners["addresses"]): Reason | undefined =>
  impediment(listener) ??
  (addresses.has(listener.interface)
    ? undefined
    : because("interface_without_address", { interface: listener.interface }));
