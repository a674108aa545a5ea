import { createInterface } from "node:readline";
import { keeper } from "../daemon/src/engines/keeper/keeper.ts";
import type { Child } from "../daemon/src/engines/keeper/keeper.model.ts";
import { wireguard } from "../daemon/src/engines/wireguard/wireguard.engine.ts";
import type { WireguardLink } from "../daemon/src/engines/wireguard/wireguard.model.ts";
import { linux } from "../daemon/src/system/system.ts";

/*
 * The engines that carry packets, driven by as little as possible: what is wanted arrives line by line, and whatever ends
 * is seen to at once. The gateway's own daemon does the same with much around it; this one is made to be killed.
 */

interface Wanted {
  readonly children: readonly Child[];
  readonly wireguard: readonly WireguardLink[];
}

const folder = process.argv[2]!;
let wanted: Wanted = { children: [], wireguard: [] };
let isAsked = false;
let running = Promise.resolve();

const kept = keeper({ system: linux, folder: `${folder}/children`, nowMs: Date.now, onEnd: wake });
const tunnels = { wireguard: wireguard({ system: linux, keeper: kept, folder: `${folder}/wireguard` }) };

function wake(): void {
  if (isAsked) return;
  isAsked = true;
  running = running.then(async () => {
    isAsked = false;
    await kept.apply(kept.changes(wanted.children, kept.observe("lab")));
    await tunnels.wireguard.apply(tunnels.wireguard.changes(wanted.wireguard, await tunnels.wireguard.observe()));
  });
}

const answers: Record<string, (argument: string) => unknown> = {
  want: async (argument) => {
    wanted = { ...wanted, ...(JSON.parse(argument) as Partial<Wanted>) };
    wake();
    await running;
  },
  children: () => kept.observe("lab"),
  states: async () => {
    await tunnels.wireguard.observe();
    return Object.fromEntries(tunnels.wireguard.states());
  },
  /** What would be changed now, and how a person would be told. */
  drift: async () => {
    const actual = await tunnels.wireguard.observe();
    return tunnels.wireguard.drift(tunnels.wireguard.changes(wanted.wireguard, actual), actual);
  },
  wake: async () => {
    wake();
    await running;
  },
  renew: (name) => tunnels.wireguard.renew(name),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const [, verb = "", argument = ""] = /^(\S+) ?(.*)$/.exec(line) ?? [];
  void Promise.resolve(answers[verb]!(argument)).then((answer) => console.log(JSON.stringify(answer ?? null)));
});
console.log("ready");
