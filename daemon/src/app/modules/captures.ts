import { setImmediate as nextTurn } from "node:timers/promises";
import type { Announce } from "@portcullis/contract/events";
import type { NetworkInterface } from "@portcullis/contract/subsystems/interfaces";
import type { Bootstrap } from "../../config/keys.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { openCapturesPlane } from "../../planes/captures/captures.plane.ts";
import { unloggedDevices } from "../../planes/captures/unlogged.ts";
import type { authService } from "../../subsystems/auth/auth.service.ts";
import { captureRoutes } from "../../subsystems/captures/captures.routes.ts";
import { capturesService } from "../../subsystems/captures/captures.service.ts";
import type { System } from "../../system/system.ts";
import { opened } from "../module.ts";

interface Needs {
  readonly bootstrap: Pick<Bootstrap, "paths">;
  readonly ledger: Ledger;
  readonly system: System;
  /** Of the modules with these names. */
  readonly access: { readonly auth: Pick<ReturnType<typeof authService>, "listener"> };
  readonly links: {
    readonly handlers: { readonly interfaces: { readonly list: () => Promise<readonly NetworkInterface[]> } };
    /** Programs that are not installed, of those that are given. */
    readonly missing: (programs: readonly string[]) => readonly string[];
  };
  readonly announce: Announce;
  readonly now: () => Date;
  readonly warn: (message: string, error: unknown) => void;
}

/** Captures of packets, on any interface of the machine. They change nothing, and work while the dataplane is off, too. */
export function openCaptures({ bootstrap, ledger, system, access, links, announce, now, warn }: Needs) {
  const { state, run } = bootstrap.paths;
  const unlogged = unloggedDevices(ledger);
  const plane = openCapturesPlane({
    system,
    stateFolder: state,
    runFolder: run,
    withheld: unlogged.matcher,
    nowMs: () => now().getTime(),
  });
  const service = capturesService({
    ...plane,
    ledger,
    interfaces: links.handlers.interfaces.list,
    missing: links.missing,
    freeBytes: () => system.diskSpace(state).freeBytes,
    hasUnlogged: unlogged.exist,
    announce,
    now,
    warn,
  });
  const routes = captureRoutes({ service, authorization: access.auth.listener, pause: () => nextTurn() });
  return opened({ handlers: { captures: routes }, close: service.close });
}
