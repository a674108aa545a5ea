import { join } from "node:path";
import { Problem, type ProblemCode } from "@portcullis/contract/problem";
import { bootstrapEntries } from "../../config/entries.ts";
import type { Bootstrap } from "../../config/keys.ts";
import { openLive } from "../../http/live.ts";
import type { Refusal } from "../../ledger/change.ts";
import { openLedger } from "../../ledger/ledger.ts";
import { channelService } from "../../subsystems/alerts/channels.service.ts";
import { fixedChannels } from "../../subsystems/alerts/fixed-channels.ts";
import { watchDeadline } from "../../subsystems/history/deadline.ts";
import { changeRoutes, snapshotRoutes } from "../../subsystems/history/history.routes.ts";
import { historyService } from "../../subsystems/history/history.service.ts";
import { rightsOf } from "../../subsystems/history/rights.ts";
import { startHousekeeping } from "../../subsystems/history/housekeeping.ts";
import { auditRoutes, referenceRoutes } from "../../subsystems/records/records.routes.ts";
import { referenceService } from "../../subsystems/records/references.service.ts";
import { secretRoutes } from "../../subsystems/secrets/secrets.routes.ts";
import { secretService } from "../../subsystems/secrets/secrets.service.ts";
import { ledgerComponent } from "../../subsystems/status/ledger.component.ts";
import { openVault } from "../../subsystems/secrets/vault.ts";
import { nodeIdentity } from "../../subsystems/settings/identity.ts";
import { settingRoutes } from "../../subsystems/settings/settings.routes.ts";
import { settingService } from "../../subsystems/settings/settings.service.ts";
import type { System } from "../../system/system.ts";
import { announceChanges } from "../change-events.ts";
import { opened } from "../module.ts";
import { privateFile } from "../private-file.ts";
import { kinds, referring } from "../resource-kinds.ts";
import { recordOperations } from "./record-operations.ts";

interface Needs {
  readonly bootstrap: Bootstrap;
  /** Keys that the bootstrap file contains; the others have defaults. */
  readonly given: ReadonlySet<string>;
  readonly system: System;
  readonly now: () => Date;
  readonly warn: (message: string, error: unknown) => void;
  readonly fail: (message: string, error: unknown) => void;
}

/** Persistent state: the ledger with its history and audit log, settings, secrets; and the event stream. */
export async function openRecords({ bootstrap, given, system, now, warn, fail }: Needs) {
  const { limits, paths } = bootstrap;
  const ledger = openLedger({
    path: join(paths.state, "portcullis.db"),
    kinds,
    now,
    refuse,
    keepRevisions: limits.snapshots_kept,
  });
  const live = openLive({ now, maxStreams: limits.event_streams });
  const nodeId = nodeIdentity(ledger.database);
  const references = referenceService({ ledger, kinds: referring });
  const file = passphraseFile(system, join(paths.state, "secrets.passphrase"));
  const vault = await openVault({ ledger, file, warn });
  const secrets = secretService({ ledger, vault, now, refuseInUse: references.refuseInUse });
  const alertChannels = channelService({ ledger, secrets });
  const settings = settingService({
    ledger,
    nodeId,
    bootstrap: bootstrapEntries(bootstrap, given),
    channels: fixedChannels(alertChannels).settings,
  });
  const history = historyService({ ledger, now, announce: live.announce });
  announceChanges(ledger, live.announce);
  const deadline = watchDeadline({ ledger, now, revert: (reason) => history.revert(systemReverts, reason) });
  const housekeeping = startHousekeeping({
    ledger,
    auditEntriesKept: limits.audit_entries_kept,
    afterRetention: secrets.prune,
    onError: (error) => fail("housekeeping failed", error),
  });
  return opened({
    ledger,
    live,
    nodeId,
    references,
    vault,
    secrets,
    history,
    alertChannels,
    operations: recordOperations(secrets, settings),
    handlers: {
      references: referenceRoutes(references),
      snapshots: snapshotRoutes(history),
      changes: changeRoutes(history),
      audit: auditRoutes(ledger.records, (caller) => rightsOf(caller).sees),
      settings: settingRoutes(settings),
      secrets: secretRoutes(secrets, vault),
    },
    components: [ledgerComponent(ledger), () => vault.health()],
    /** Stops the timers; the ledger stays open for modules that close later. */
    stopTimers: () => {
      deadline.stop();
      housekeeping.stop();
    },
    close: () => ledger.close(),
  });
}

const systemReverts = { actor: "system", action: "revert_change", resourceType: "change" };

/** Refusals of the ledger → problems of the contract. */
function refuse(refusal: Refusal): Error {
  const problems: Record<Refusal, [ProblemCode, string?]> = {
    "change-pending": ["change_pending"],
    "nothing-pending": ["not_found", "No change is pending"],
    "unknown-revision": ["not_found", "No snapshot has this id"],
    "changed-meanwhile": ["conflict", "The configuration was changed meanwhile; try again"],
  };
  const [code, message] = problems[refusal];
  return new Problem(code, {}, message === undefined ? {} : { message });
}

/** One line of text. */
function passphraseFile(system: System, path: string) {
  const file = privateFile(system, path, 0o400);
  return { ...file, read: () => file.read()?.replace(/\n$/, ""), write: (text: string) => file.write(`${text}\n`) };
}
