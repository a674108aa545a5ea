import { join } from "node:path";
import type { Component } from "@portcullis/contract/subsystems/status";
import { interfacesProblem } from "./bootstrap/network-checks.ts";
import type { Bootstrap } from "./bootstrap/keys.ts";
import { Withheld } from "./reconciler/reconciler.ts";
import type { System } from "./system/system.ts";

interface Needs {
  readonly system: Pick<System, "readText" | "writeAtomically" | "list">;
  readonly stateFolder: string;
  readonly network: Bootstrap["network"];
  /** false: the engines are not driven, and nothing is read or written here. */
  readonly enabled: boolean;
  /** Interfaces that exist once what is published is in force: its bridges. */
  readonly bridges: () => readonly string[];
  readonly now: () => Date;
  /** A sentence for the log, at error level. */
  readonly complain: (sentence: string) => void;
}

/** Whether the gateway may change this machine's rules, and what is to be reported about it. */
export interface Enforcement {
  /** Throws `Withheld` with the reason while nothing may be enforced. Called before each reconcile cycle. */
  readonly permit: () => void;
  /** Everything that is published is in the kernel. */
  readonly applied: () => void;
  /** Why nothing is enforced; undefined while something is, and where the dataplane is off. */
  readonly withheld: () => string | undefined;
  /** Whether the kernel forwards packets. While nothing is enforced, that is another program's doing. */
  readonly isForwarding: () => boolean;
  readonly component: () => Component;
}

/** What was decided about this machine. It is no part of the configuration: a rollback or a copy does not carry it along. */
type State = { readonly state: "new" } | { readonly state: "confirmed"; readonly at: string };

const forwardingSettings = ["/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/ipv6/conf/all/forwarding"];
const recordFile = "enforcement.json";

/**
 * A gateway that has never enforced anything protects no device yet, so it can afford to wait for its interfaces, and must:
 * a guard for interfaces that do not exist locks its owner out. Once it has enforced, devices rely on it: an interface that
 * disappears then changes nothing about the guard (decision 42).
 */
export function openEnforcement(needs: Needs): Enforcement {
  const { system, stateFolder, network, enabled, bridges, now, complain } = needs;
  const file = join(stateFolder, recordFile);
  let state = enabled ? readState(system, stateFolder) : { state: "new" as const };
  let complained: string | undefined;

  function problem(): string | undefined {
    const links = system.list("/sys/class/net");
    return interfacesProblem(network, links) && interfacesProblem(network, [...links, ...bridges()]);
  }
  function withheld(): string | undefined {
    if (!enabled || state.state === "confirmed") return undefined;
    const reason = problem();
    return reason === undefined ? undefined : `Nothing is enforced: ${reason}`;
  }
  /** One that lasts is logged once. */
  function report(reason: string | undefined): void {
    if (reason !== undefined && reason !== complained) complain(reason);
    complained = reason;
  }
  return {
    permit: () => {
      const reason = withheld();
      report(reason ?? interfaceGone(enabled, problem()));
      if (reason !== undefined) throw new Withheld(reason);
    },
    applied: () => {
      if (!enabled || state.state === "confirmed") return;
      state = { state: "confirmed", at: now().toISOString() };
      system.writeAtomically(file, `${JSON.stringify(state)}\n`, 0o600);
    },
    withheld,
    isForwarding: () => forwardingSettings.some((path) => system.readText(path)?.trim() === "1"),
    component: () => {
      if (!enabled) return { name: "enforcement", status: "off", message: "dataplane.enabled is false" };
      const message = withheld() ?? interfaceGone(enabled, problem());
      return message === undefined
        ? { name: "enforcement", status: "ok", message: "The configured interfaces exist" }
        : { name: "enforcement", status: "failed", message };
    },
  };
}

const interfaceGone = (enabled: boolean, problem: string | undefined): string | undefined =>
  enabled && problem !== undefined
    ? `The guard stays in force, and what needs the missing interface is blocked: ${problem}`
    : undefined;

/** A state folder with a saved guard is from a version that kept no record: its guard was in force and confirmed. */
function readState(system: Needs["system"], folder: string): State {
  const text = system.readText(join(folder, recordFile));
  try {
    const read = text === undefined ? undefined : (JSON.parse(text) as Partial<Extract<State, { state: "confirmed" }>>);
    if (read?.state === "confirmed" && typeof read.at === "string") return { state: "confirmed", at: read.at };
  } catch {
    // Not JSON: as good as none.
  }
  return system.readText(join(folder, "guard.nft")) === undefined
    ? { state: "new" }
    : { state: "confirmed", at: "before records were kept" };
}
