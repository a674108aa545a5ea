import { Problem } from "@portcullis/contract/problem";
import { because, explainedAs, type Reason, sentence } from "@portcullis/contract/reason";
import { dhcpId, type DhcpRange, type PublishedDhcp } from "@portcullis/contract/subsystems/dhcp";
import type { EnforcementState } from "@portcullis/contract/subsystems/enforcement";
import type { NetworkInterface } from "@portcullis/contract/subsystems/interfaces";
import type { SetupPlan, SetupRequest, SetupState } from "@portcullis/contract/subsystems/setup";
import type { Cause, Draft } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { type FileSettings, type Planned, planSetup } from "./plan.ts";
import { addressFor, isUsable, suggest } from "./suggestion.ts";
import type { UndoRecord } from "./undo-record.ts";

/** The configuration file of the daemon. */
export interface ConfigurationFile {
  readonly path: string;
  /** Its text and its settings now; refuses a file with mistakes. */
  readonly read: () => { readonly text: string; readonly settings: FileSettings; readonly given: ReadonlySet<string> };
  /** Its text with other settings; refuses what the daemon would not start with. */
  readonly edited: (text: string, settings: Partial<FileSettings>) => string;
  /** Throws where the file cannot be written. */
  readonly write: (text: string) => void;
  /** Where the web interface is reached from a LAN with this address; null: on loopback only. */
  readonly webAddress: (text: string, lanAddress: string | null) => string | null;
}

interface Needs {
  readonly ledger: Ledger;
  /** undefined: the daemon runs without one. */
  readonly file: ConfigurationFile | undefined;
  readonly undo: UndoRecord;
  /** The settings that this daemon has started with. */
  readonly running: FileSettings;
  readonly confirmSec: number;
  readonly interfaces: () => Promise<readonly NetworkInterface[]>;
  readonly enforcement: {
    readonly status: () => Pick<EnforcementState, "state">;
    readonly isGuardedAtBoot: () => boolean;
    readonly rearm: () => void;
    readonly revert: (reason: Reason) => Promise<void>;
  };
  readonly hasAdmin: () => boolean;
}

export type SetupService = ReturnType<typeof setupService>;

/** The first configuration of a machine: which interface is the uplink, which one the LAN, and the addresses of the LAN. */
export function setupService({ ledger, file, undo, running, confirmSec, interfaces, enforcement, hasAdmin }: Needs) {
  const dhcp = ledger.staged<PublishedDhcp>("dhcp");
  const ranges = (): readonly DhcpRange[] => dhcp.get(dhcpId)?.ranges ?? [];
  // What is confirmed stays; what it contains are the secrets of the old file.
  if (enforcement.status().state === "confirmed") undo.forget();

  function refusal(): Reason | null {
    if (file === undefined) return because("setup_no_file");
    const { state } = enforcement.status();
    if (state === "confirmed") return because("setup_in_force", { file: file.path });
    return state === "provisional" ? because("setup_unconfirmed") : null;
  }
  function openFile(): ConfigurationFile {
    const reason = refusal();
    if (reason) throw conflict(sentence(reason));
    return file!;
  }

  async function show(): Promise<SetupState> {
    const all = await interfaces();
    const names = all.map(({ name }) => name);
    const { "network.wan_iface": wan, "network.lan_iface": lan, "network.lan_address": address } = running;
    const link = all.find(({ name }) => name === lan);
    const before = readable(file);
    const configured = (key: "network.wan_iface" | "network.lan_iface") =>
      before?.given.has(key) === true ? before.settings[key] : undefined;
    const { state } = enforcement.status();
    return {
      steps: {
        network: running["dataplane.enabled"] && names.includes(wan) && names.includes(lan),
        confirmation: state === "confirmed",
        boot_guard: enforcement.isGuardedAtBoot(),
        account: hasAdmin(),
        tunnel: ledger.staged("tunnel").count() > 0,
      },
      settings: {
        wan,
        lan,
        lan_address: address === "" ? null : address,
        unknown: running["network.default_egress"],
        uplink_ports: [...running["network.uplink_ports"]],
        enabled: running["dataplane.enabled"],
      },
      interfaces: all.map((it) => ({
        ...it,
        usable: isUsable(it),
        free_address: addressFor(it, all, it.name === lan ? address : ""),
      })),
      suggestion: suggest(all, {
        wan: configured("network.wan_iface"),
        lan: configured("network.lan_iface"),
        lanAddress: before?.settings["network.lan_address"] || undefined,
      }),
      web_address: before && file ? file.webAddress(before.text, address || (link?.addresses[0] ?? null)) : null,
      ...explainedAs("refusal", refusal()),
      can_cancel: state !== "confirmed" && undo.read() !== undefined,
    };
  }

  async function planned(request: SetupRequest) {
    const open = openFile();
    const { text, settings } = open.read();
    const plan = planSetup(request, { interfaces: await interfaces(), settings, ranges: ranges() });
    const edited = open.edited(text, changedSettings(settings, plan.settings));
    return { open, text, edited, plan, shown: shown(open, settings, plan, edited) };
  }

  function shown(open: ConfigurationFile, before: FileSettings, plan: Planned, edited: string): SetupPlan {
    const { settings, lanAddress, setBy } = plan;
    const range = plan.ranges.find((it) => it.interface === settings["network.lan_iface"]);
    return {
      file: open.path,
      changes: Object.entries(changedSettings(before, settings)).map(([key, to]) => ({
        key,
        from: before[key as keyof FileSettings],
        to,
      })),
      lan_address: lanAddress,
      address_set_by: setBy,
      dhcp: range === undefined ? null : { first: range.first, last: range.last },
      web_address: open.webAddress(edited, lanAddress),
      confirm_sec: confirmSec,
    };
  }

  /** A gateway that never leased addresses has no such resource. */
  function setRanges(draft: Draft, wanted: readonly DhcpRange[]): void {
    const next: PublishedDhcp = { id: dhcpId, ranges: wanted };
    if (JSON.stringify(wanted) === JSON.stringify(ranges())) return;
    if (wanted.length === 0) draft.remove("dhcp", dhcpId);
    else draft.put("dhcp", next);
  }

  return {
    show,
    plan: async (request: SetupRequest): Promise<SetupPlan> => (await planned(request)).shown,
    /** Writes the file, the ranges of the DHCP server and the audit entry, or none of them. */
    apply: async (cause: Cause, request: SetupRequest): Promise<SetupPlan> => {
      const { open, text, edited, plan, shown: answer } = await planned(request);
      const before = undo.read();
      // A second setup before the confirmation does not hide the state before the first one.
      const first = before?.written === text ? before : undefined;
      const wasReverted = enforcement.status().state === "reverted";
      const record = { before: text, ranges: ranges(), wasReverted, ...first, written: edited };
      try {
        ledger.change(cause, (draft) => {
          setRanges(draft, plan.ranges);
          draft.about("setup", { wan: request.wan, lan: request.lan, lan_address: plan.lanAddress });
          undo.write(record);
          open.write(edited);
        });
      } catch (error) {
        if (before) undo.write(before);
        else undo.forget();
        if (open.read().text !== text) open.write(text);
        throw error;
      }
      enforcement.rearm();
      return answer;
    },
    /** As before the setup. What is in force ends first: nothing is forwarded then. */
    cancel: async (cause: Cause): Promise<SetupState> => {
      const record = undo.read();
      const { state } = enforcement.status();
      if (file && state === "confirmed") throw conflict(sentence(because("setup_in_force", { file: file.path })));
      if (file === undefined || record === undefined) throw conflict("There is no setup to cancel");
      if (file.read().text !== record.written)
        throw conflict(
          `${file.path} was changed after the setup; it stays as it is. Correct it, and restart the daemon`,
        );
      if (state === "provisional") await enforcement.revert(because("revert_setup_cancelled", { actor: cause.actor }));
      try {
        ledger.change(cause, (draft) => {
          setRanges(draft, record.ranges);
          draft.about("setup", {});
          file.write(record.before);
        });
      } catch (error) {
        if (file.read().text !== record.written) file.write(record.written);
        throw error;
      }
      undo.forget();
      if (!record.wasReverted) enforcement.rearm();
      return show();
    },
  };
}

const conflict = (message: string) => new Problem("conflict", {}, { message });

/** A file with mistakes suggests nothing. */
function readable(file: ConfigurationFile | undefined): ReturnType<ConfigurationFile["read"]> | undefined {
  try {
    return file?.read();
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function changedSettings(before: FileSettings, after: FileSettings): Partial<FileSettings> {
  const entries = Object.entries(after).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key as keyof FileSettings]),
  );
  return Object.fromEntries(entries) as Partial<FileSettings>;
}
