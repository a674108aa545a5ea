import type { Announce } from "@portcullis/contract/events";
import { because, clause, explained, explainedAs, type Reason, sentence } from "@portcullis/contract/reason";
import { Problem } from "@portcullis/contract/problem";
import type { EnforcementState } from "@portcullis/contract/subsystems/enforcement";
import { type Component, component } from "@portcullis/contract/subsystems/status";
import type { Bootstrap } from "../../config/keys.ts";
import { interfacesProblem } from "../../config/network-checks.ts";
import { type EnforcementRecord, readRecord, writeRecord } from "./enforcement-record.ts";
import { Withheld } from "../../reconciler/reconciler.ts";
import type { System } from "../../system/system.ts";

interface Needs {
  readonly system: Pick<System, "readText" | "writeAtomically" | "list">;
  readonly stateFolder: string;
  readonly network: Bootstrap["network"];
  readonly dataplane: Bootstrap["dataplane"];
  /** Interfaces that exist once what is published is in force: its bridges and VLANs. */
  readonly created: () => readonly string[];
  /** Removes everything from the kernel and ends every program. Called while `permit` throws. */
  readonly withdraw: () => Promise<unknown>;
  /** Starts a process that does the same at the deadline, should this one be dead by then. */
  readonly guardDeadline: (record: { readonly since: string; readonly deadline: string }) => void;
  /** Something changed: reconcile. */
  readonly wake: () => void;
  readonly announce: Announce;
  /** A revert without a request: the audit log shows the gateway as its actor. */
  readonly auditRevert: (reason: string) => void;
  readonly now: () => Date;
  /** A sentence for the log, at error level. */
  readonly complain: (sentence: string) => void;
}

/** Whether the gateway may change this machine's rules, and what is to be reported about it. */
export interface Enforcement {
  /** Reverts what a daemon that was killed has left unconfirmed. To be called before the first reconcile cycle. */
  readonly recover: () => Promise<void>;
  /** Throws `Withheld` with the reason while nothing may be enforced. Called before each reconcile cycle. */
  readonly permit: () => void;
  /** Everything that is published is in the kernel. */
  readonly applied: () => void;
  /** Why nothing is enforced; undefined while something is, and where the dataplane is off. */
  readonly withheld: () => Reason | undefined;
  /** Whether what is in force may still be reverted as a whole: no guard is saved for the next boot then. */
  readonly isProvisional: () => boolean;
  /** When the provisional rules were complete, by the monotonic clock; undefined: they are not, or none are provisional. */
  readonly inForceSinceMs: () => number | undefined;
  readonly confirm: (by: string, how: string) => void;
  readonly revert: (reason: Reason) => Promise<void>;
  /** Starts a first enforcement again, after one that was reverted. */
  readonly start: () => void;
  /** The next start of the daemon begins a first enforcement, whatever became of the last one. */
  readonly rearm: () => void;
  readonly isGuardedAtBoot: () => boolean;
  readonly status: () => EnforcementState;
  /** Whether the kernel forwards packets. While nothing is enforced, that is another program's doing. */
  readonly isForwarding: () => boolean;
  readonly component: () => Component;
  readonly close: () => void;
}

const forwardingSettings = ["/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/ipv6/conf/all/forwarding"];
const retryMs = 2000;
const bootGuard = {
  unit: "/usr/lib/systemd/system/portcullis-guard.service",
  enabled: "/etc/systemd/system/sysinit.target.wants/portcullis-guard.service",
};
const name = "enforcement";
const beingReverted = because("enforcement_reverting");

/**
 * A gateway that has never enforced anything protects no device yet, so it can afford to wait for its interfaces, and to
 * withdraw what its owner does not confirm. Once it is confirmed, devices rely on it: neither an interface that disappears
 * nor a deadline changes anything about the guard (decisions 42 and 43).
 */
export function openEnforcement(needs: Needs): Enforcement {
  const { system, stateFolder, network, dataplane, now } = needs;
  const { enabled, confirm_first_sec: confirmSec } = dataplane;
  let record: EnforcementRecord = enabled ? readRecord(system, stateFolder) : { state: "new" };
  /** Of a daemon that was killed. What this one has begun since is none of it. */
  const wasLeft = record.state === "provisional";
  /** Also while another one is being reverted. */
  let isReverting = wasLeft;
  let inForceSinceMs: number | undefined;
  let complained: string | undefined;
  let timer: NodeJS.Timeout | undefined;

  function keep(next: EnforcementRecord): void {
    writeRecord(system, stateFolder, next); // First: what is not on disk did not happen.
    record = next;
  }
  /** Where the unit is not installed, another program may start the guard. */
  const isGuardedAtBoot = (): boolean =>
    system.readText(bootGuard.unit) === undefined || system.readText(bootGuard.enabled) !== undefined;
  function problem(): Reason | undefined {
    const links = system.list("/sys/class/net");
    return interfacesProblem(network, links) && interfacesProblem(network, [...links, ...needs.created()]);
  }
  function withheld(): Reason | undefined {
    if (!enabled || record.state === "confirmed") return undefined;
    if (isReverting) return beingReverted;
    if (record.state === "reverted") return because("enforcement_reverted", { why: record.reason });
    const why = record.state === "new" ? problem() : undefined;
    return why && because("not_enforced", { why });
  }
  function gone(): Reason | undefined {
    const why = enabled && withheld() === undefined ? problem() : undefined;
    return why && because("guard_only", { why });
  }
  /** One that lasts is logged once. */
  function report(reason: Reason | undefined): void {
    const text = reason && sentence(reason);
    if (text !== undefined && text !== complained) needs.complain(text);
    complained = text;
  }
  /** Written down, and guarded by another process, before the first rule is loaded. */
  function begin(): void {
    const since = now();
    const deadline = new Date(since.getTime() + confirmSec * 1000);
    const times = { since: since.toISOString(), deadline: deadline.toISOString() };
    keep({ state: "provisional", ...times });
    needs.guardDeadline(times);
    timer = setTimeout(() => void revertSurely(because("revert_unconfirmed")), confirmSec * 1000);
    needs.announce("enforcement.provisional", { deadline: times.deadline });
  }
  async function revert(reason: Reason): Promise<void> {
    clearTimeout(timer);
    isReverting = true;
    inForceSinceMs = undefined;
    await needs.withdraw();
    keep({ state: "reverted", at: now().toISOString(), reason });
    isReverting = false;
    needs.announce("enforcement.reverted", explained(reason));
    report(withheld());
    needs.wake(); // So that what is reported is the new state.
  }
  /** Until it is done; meanwhile nothing is applied. */
  async function revertSurely(reason: Reason): Promise<void> {
    try {
      await revert(reason);
    } catch (error) {
      needs.complain(`The first enforcement cannot be reverted yet: ${(error as Error).message}`);
      timer = setTimeout(() => void revertSurely(reason), retryMs);
      return;
    }
    try {
      needs.auditRevert(clause(reason));
    } catch (error) {
      needs.complain(`The audit log has no entry of the revert: ${(error as Error).message}`);
    }
  }
  const nothing = (message: string): never => {
    throw new Problem("conflict", {}, { message });
  };

  return {
    recover: async () => {
      if (wasLeft) await revertSurely(because("revert_after_end"));
    },
    permit: () => {
      const reason = withheld();
      report(reason ?? gone());
      if (reason !== undefined) throw new Withheld(sentence(reason));
      if (enabled && record.state === "new" && confirmSec > 0) begin();
    },
    applied: () => {
      if (!enabled) return;
      if (record.state === "provisional") inForceSinceMs ??= performance.now();
      if (record.state === "new")
        keep({ state: "confirmed", at: now().toISOString(), by: "system", how: "configuration" });
    },
    withheld,
    isProvisional: () => record.state === "provisional",
    inForceSinceMs: () => inForceSinceMs,
    confirm: (by, how) => {
      if (record.state !== "provisional" || isReverting) nothing("No first enforcement waits for confirmation");
      clearTimeout(timer);
      inForceSinceMs = undefined;
      keep({ state: "confirmed", at: now().toISOString(), by, how });
      needs.announce("enforcement.confirmed", { by, how });
    },
    revert: async (reason) => {
      if (record.state !== "provisional" || isReverting) nothing("No first enforcement waits for confirmation");
      try {
        await revert(reason);
      } catch (error) {
        timer = setTimeout(() => void revertSurely(reason), retryMs); // The revert has begun and must be completed.
        throw error;
      }
    },
    start: () => {
      if (record.state !== "reverted") nothing("There is no reverted enforcement to start again");
      keep({ state: "new" });
      needs.wake();
    },
    rearm: () => writeRecord(system, stateFolder, { state: "new" }),
    isGuardedAtBoot,
    status: () => {
      const deadline = record.state === "provisional" && !isReverting ? record.deadline : null;
      const remaining =
        deadline === null ? null : Math.max(0, Math.ceil((Date.parse(deadline) - now().getTime()) / 1000));
      const confirmed = record.state === "confirmed" ? record : undefined;
      const message = withheld() ?? gone() ?? null;
      return {
        state: !enabled ? "off" : record.state === "new" ? "waiting" : record.state,
        ...explainedAs("message", message),
        deadline,
        remaining_sec: remaining,
        confirmed_at: confirmed?.at ?? null,
        confirmed_by: confirmed?.by ?? null,
        confirmed_how: confirmed?.how ?? null,
      };
    },
    isForwarding: () => forwardingSettings.some((path) => system.readText(path)?.trim() === "1"),
    component: () => {
      if (!enabled) return component(name, "off", because("dataplane_disabled"));
      const message = withheld() ?? gone();
      if (message) return component(name, "failed", message);
      if (record.state === "provisional")
        return component(name, "degraded", because("enforcement_provisional", { deadline: record.deadline }));
      if (record.state === "confirmed" && !isGuardedAtBoot())
        return component(name, "degraded", because("enforcement_no_boot_guard"));
      return component(name, "ok", because("enforcement_interfaces_exist"));
    },
    close: () => clearTimeout(timer),
  };
}
