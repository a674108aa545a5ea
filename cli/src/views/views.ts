import type { GatewayApi } from "@portcullis/contract/api";
import type { Client } from "@portcullis/contract/client";
import type { ResultOf } from "@portcullis/contract/endpoint";
import type { changes, snapshots } from "@portcullis/contract/subsystems/history";
import type { privacy } from "@portcullis/contract/subsystems/privacy";
import type { routing } from "@portcullis/contract/subsystems/routing";
import type { Component, Status } from "@portcullis/contract/subsystems/status";
import { type Rich, sentence } from "../screen/rich.ts";
import { type Reading, words } from "../screen/values.ts";
import { appliedLines, changesLines, confirmedLines, revertedLines, rolledBackLines } from "./changes.ts";
import { leakCheckLines } from "./leak-check.ts";
import { observerLines, statusLines } from "./status.ts";

type View = (result: unknown, reading: Reading, client: Client<GatewayApi>) => Rich[] | Promise<Rich[]>;

/** Commands whose result a person reads as sentences, by their words. */
export const views: Readonly<Record<string, View>> = {
  status: (result, reading, client) => statusLines(result as Status, reading, client),
  health: (result, reading) => {
    const { status, components } = result as { readonly status: string; readonly components: unknown };
    const list = Array.isArray(components)
      ? observerLines(components as Component[])
      : [sentence`components: ${words("", components, reading)}`];
    return [sentence`The gateway is ${words("status", status, reading)}.`, ...list];
  },
  observer: (result) => observerLines((result as { readonly components: Component[] }).components),
  changes: (result, reading) => changesLines(result as ResultOf<typeof changes.show>, reading),
  "changes confirm": (result, reading) => confirmedLines(result as ResultOf<typeof changes.confirm>, reading),
  "changes revert": (result, reading) => revertedLines(result as ResultOf<typeof changes.revert>, reading),
  rollback: (result, reading) => rolledBackLines(result as ResultOf<typeof snapshots.rollback>, reading),
  "policies apply": (result, reading) => appliedLines(result as ResultOf<typeof routing.apply>, reading),
  "leak-check": (result, reading) => leakCheckLines(result as ResultOf<typeof privacy.leakCheck>, reading),
};
