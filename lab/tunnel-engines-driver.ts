import { createInterface } from "node:readline";
import type { Engine } from "../daemon/src/engines/engine.ts";
import { supervisor } from "../daemon/src/engines/supervisor/supervisor.ts";
import type { ProcessSpec } from "../daemon/src/engines/supervisor/supervisor.model.ts";
import { openvpn } from "../daemon/src/engines/openvpn/openvpn.engine.ts";
import type { OpenvpnClient } from "../daemon/src/engines/openvpn/openvpn.model.ts";
import { wireguard } from "../daemon/src/engines/wireguard/wireguard.engine.ts";
import type { WireguardLink } from "../daemon/src/engines/wireguard/wireguard.model.ts";
import { linux } from "../daemon/src/system/system.ts";

/*
 * The engines that carry packets, driven by as little as possible: what is wanted arrives line by line, and whatever ends
 * is seen to at once. The gateway's own daemon does the same with much around it; this one is made to be killed.
 */

interface Wanted {
  readonly children: readonly ProcessSpec[];
  readonly wireguard: readonly WireguardLink[];
  readonly openvpn: readonly OpenvpnClient[];
}

const folder = process.argv[2]!;
let wanted: Wanted = { children: [], wireguard: [], openvpn: [] };
let isAsked = false;
let running = Promise.resolve();

const kept = supervisor({ system: linux, folder: `${folder}/children`, nowMs: () => performance.now(), onExit: wake });
const tunnels = {
  wireguard: wireguard({ system: linux, supervisor: kept, folder: `${folder}/wireguard`, wallMs: () => Date.now() }),
  openvpn: openvpn({
    system: linux,
    supervisor: kept,
    folder: `${folder}/openvpn`,
    nowMs: () => performance.now(),
    wallMs: () => Date.now(),
    onChange: wake,
  }),
};

/** The same with each engine, and with the types of each. */
const engines = [part(tunnels.wireguard, () => wanted.wireguard), part(tunnels.openvpn, () => wanted.openvpn)];

function part<D, A, C>(engine: Engine<D, A, C>, desired: () => D) {
  return {
    settle: async () => {
      const changes = engine.changes(desired(), await engine.observe());
      if (changes.length > 0) await engine.apply(changes);
    },
    drift: async () => {
      const actual = await engine.observe();
      return engine.drift(engine.changes(desired(), actual), actual);
    },
  };
}

function wake(): void {
  if (isAsked) return;
  isAsked = true;
  running = running.then(async () => {
    isAsked = false;
    await kept.apply(kept.changes(wanted.children, kept.observe("lab")));
    for (const { settle } of engines) await settle();
  });
}

async function settled(): Promise<void> {
  wake();
  await running;
}

const answers: Record<string, (argument: string) => unknown> = {
  want: async (argument) => {
    wanted = { ...wanted, ...(JSON.parse(argument) as Partial<Wanted>) };
    await settled();
  },
  children: () => kept.observe("lab"),
  states: async () => {
    await tunnels.wireguard.observe();
    return Object.fromEntries([...tunnels.wireguard.states(), ...tunnels.openvpn.states()]);
  },
  drift: async () => (await Promise.all(engines.map(({ drift }) => drift()))).flat(),
  wake: settled,
  renew: (name) =>
    wanted.openvpn.some((it) => it.interface === name)
      ? tunnels.openvpn.reconnect(name)
      : tunnels.wireguard.reconnect(name),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const [, verb = "", argument = ""] = /^(\S+) ?(.*)$/.exec(line) ?? [];
  void Promise.resolve(answers[verb]!(argument)).then((answer) => console.log(JSON.stringify(answer ?? null)));
});
console.log("ready");
