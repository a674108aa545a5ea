import { join } from "node:path";
import type { NetworkInterface } from "@portcullis/contract/subsystems/interfaces";
import type { Bootstrap } from "../../config/keys.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Enforcement } from "../../planes/forwarding/enforcement.ts";
import { setupRoutes } from "../../subsystems/setup/setup.routes.ts";
import { setupService } from "../../subsystems/setup/setup.service.ts";
import { undoRecord } from "../../subsystems/setup/undo-record.ts";
import type { System } from "../../system/system.ts";
import { configurationFile, settingsOf, writeConfiguration } from "../configuration-file.ts";
import { opened } from "../module.ts";
import { privateFile } from "../private-file.ts";

/** What the setup needs of the process. */
export interface Restarting {
  /** The configuration file. */
  readonly file: string;
  /** Closes this gateway and opens another one with the file as it is then. */
  readonly restart: () => void;
}

interface Needs {
  readonly bootstrap: Bootstrap;
  readonly ledger: Ledger;
  readonly system: System;
  /** undefined: the daemon runs without a configuration file. */
  readonly restarting: Restarting | undefined;
  readonly enforcement: Enforcement;
  /** Of the modules with these names. */
  readonly access: { readonly setupCode: () => string | undefined };
  readonly links: {
    readonly handlers: { readonly interfaces: { readonly list: () => Promise<readonly NetworkInterface[]> } };
  };
}

/** The setup of the machine by API, which the command line and the web interface use. */
export function openSetup({ bootstrap, ledger, system, restarting, enforcement, access, links }: Needs) {
  const undo = undoRecord(privateFile(system, undoFile(bootstrap), 0o600));
  const service = setupService({
    ledger,
    enforcement,
    interfaces: links.handlers.interfaces.list,
    hasAdmin: () => access.setupCode() === undefined,
    undo,
    file: restarting && configurationFile(system, restarting.file),
    running: settingsOf(bootstrap),
    confirmSec: bootstrap.dataplane.confirm_first_sec,
  });
  // The answer is sent first: closing the server waits for it.
  const restart = () => void setTimeout(() => restarting?.restart(), answerMs).unref();
  return opened({ handlers: { setup: setupRoutes({ service, restart }) } });
}

const answerMs = 50;
const undoFile = ({ paths }: Pick<Bootstrap, "paths">): string => join(paths.state, "setup.json");

/**
 * Restores the file from before a setup with which the daemon cannot start. Returns whether there was one. The ranges of the DHCP
 * server stay; without their LAN they have no effect.
 */
export function undoFailedSetup(system: System, { file, paths }: Pick<Bootstrap, "paths"> & { file: string }): boolean {
  const undo = undoRecord(privateFile(system, undoFile({ paths }), 0o600));
  const record = undo.read();
  if (record === undefined || system.readText(file) !== record.written) return false;
  writeConfiguration(system, file, record.before);
  undo.forget();
  return true;
}
