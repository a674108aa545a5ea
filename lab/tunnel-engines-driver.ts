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
 * The tunnel engines with a minimal driver: desired state arrives line by line, and a process that ends is restarted at
 * once. The daemon does the same with much around it; tests kill this one.
 */

interface Wanted {
  readonly children: readonly ProcessSpec[];
  readonly wireguard: readonly WireguardLink[];
  readonly openvpn: readonly OpenvpnClient[];
}

const folder = process.argv[2]!;
let wanted: Wanted = { children: [], wireguard: [], openvpn: [] };
let isPending = false;
let running = Promise.resolve();

const processes = supervisor({
  system: linux,
  folder: `${folder}/children`,
  nowMs: () => performance.now(),
  onExit: wake,
});
const tunnels = {
  wireguard: wireguard({
    system: linux,
    supervisor: processes,
    folder: `${folder}/wireguard`,
    wallMs: () => Date.now(),
  }),
  openvpn: openvpn({
    system: linux,
    supervisor: processes,
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
    reconcile: async () => {
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
  if (isPending) return;
  isPending = true;
  running = running.then(async () => {
    isPending = false;
    await processes.apply(processes.changes(wanted.children, processes.observe("lab")));
    for (const { reconcile } of engines) await reconcile();
  });
}

async function reconciled(): Promise<void> {
  wake();
  await running;
}

const answers: Record<string, (argument: string) => unknown> = {
  want: async (argument) => {
    wanted = { ...wanted, ...(JSON.parse(argument) as Partial<Wanted>) };
    await reconciled();
  },
  children: () => processes.observe("lab"),
  states: async () => {
    await tunnels.wireguard.observe();
    return Object.fromEntries([...tunnels.wireguard.states(), ...tunnels.openvpn.states()]);
  },
  drift: async () => (await Promise.all(engines.map(({ drift }) => drift()))).flat(),
  wake: reconciled,
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
