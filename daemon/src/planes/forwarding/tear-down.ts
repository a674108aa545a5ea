import { join } from "node:path";
import { bridgeEngine } from "../../engines/bridge/bridge.engine.ts";
import type { Engine } from "../../engines/engine.ts";
import { isOurPriority, isOurTable } from "../../engines/iproute/iproute.model.ts";
import { lanAddressEngine } from "../../engines/lan-address/lan-address.engine.ts";
import { supervisor } from "../../engines/supervisor/supervisor.ts";
import { openvpn } from "../../engines/openvpn/openvpn.engine.ts";
import { vlanEngine } from "../../engines/vlan/vlan.engine.ts";
import { wireguard } from "../../engines/wireguard/wireguard.engine.ts";
import { restoreSettings, stopForwarding } from "./kernel-settings.ts";
import { probeLinks, probeTableNumber } from "../../leakcheck/spoofed-probes.render.ts";
import { sinceBootMs } from "../../system/clock.ts";
import type { System } from "../../system/system.ts";

/**
 * Removes everything that the gateway has created on this machine, and nothing else: processes, interfaces, routes, rules and
 * tables are identified by our records and numbers, never by the name of a program. Returns what was removed. The daemon
 * must not run.
 */
export async function tearDown(system: System, runFolder: string): Promise<string[]> {
  const removed = await removeForwarding(system);
  removed.push(...(await endProcesses(system, runFolder)));
  removed.push(...(await removeRules(system, runFolder)));
  return removed;
}

/** First, so that a partial removal does not forward. A machine without our rules is not changed. */
async function removeForwarding(system: System): Promise<string[]> {
  const isOurs = (await ourTables(system)).length > 0 || (await ourRules(system, 4)).length > 0;
  return isOurs ? stopForwarding(system) : [];
}

/** Routes, rules, tables and settings; the guard last. The daemon calls this too, after it has stopped its programs. */
export async function removeRules(system: System, runFolder: string): Promise<string[]> {
  const removed = await removeForwarding(system);
  for (const family of [4, 6] as const) {
    const rules = await ourRules(system, family);
    const routes = await ourRoutes(system, family);
    const lines = [
      ...rules.map((priority) => `rule del priority ${priority}`),
      ...routes.map((table) => `route flush table ${table}`),
    ];
    if (lines.length > 0)
      await system.run("ip", [`-${family}`, "-force", "-batch", "-"], { stdin: `${lines.join("\n")}\n` });
    removed.push(...rules.map((priority) => `IPv${family} rule ${priority}`));
    removed.push(...routes.map((table) => `IPv${family} routing table ${table}`));
  }
  if (system.list("/sys/class/net").includes(probeLinks.near)) {
    await system.run("ip", ["link", "del", probeLinks.near]);
    removed.push(`interface ${probeLinks.near}`);
  }
  removed.push(...(await restoreSettings(system, runFolder)));
  const tables = await ourTables(system);
  if (tables.length > 0)
    await system.run("nft", ["-f", "-"], { stdin: tables.map((name) => `delete table ${name}\n`).join("") });
  return [...removed, ...tables.map((name) => `table ${name}`)];
}

/** Engines that create interfaces remove them. All other programs are stopped by their records. */
async function endProcesses(system: System, runFolder: string): Promise<string[]> {
  const folder = join(runFolder, "children");
  if (system.list(runFolder).length === 0) return [];
  const linksBefore = system.list("/sys/class/net");
  const processes = supervisor({ system, folder, nowMs: sinceBootMs, onExit: () => {} });
  const names = processNames(system, folder);
  const clients = openvpn({
    system,
    supervisor: processes,
    folder: join(runFolder, "openvpn"),
    nowMs: sinceBootMs,
    wallMs: Date.now,
    onChange: () => {},
  });
  const addresses = lanAddressEngine({ system, folder: runFolder });
  const { ours } = await addresses.observe();
  try {
    await empty(wireguard({ system, supervisor: processes, folder: join(runFolder, "wireguard"), wallMs: Date.now }));
    await empty(clients);
    await empty(vlanEngine({ system, folder: runFolder }));
    await empty(bridgeEngine({ system, folder: runFolder }));
    await empty(addresses);
    await processes.apply(processNames(system, folder).map((name) => ({ kind: "end", name })));
  } finally {
    clients.close();
    processes.close();
  }
  const left = processNames(system, folder);
  if (left.length > 0) throw new Error(`These programs cannot be ended: ${left.join(", ")}`);
  const linksAfter = system.list("/sys/class/net");
  return [
    ...names.map((name) => `process ${name}`),
    ...ours.map((it) => `address ${it.address} of ${it.interface}`),
    ...linksBefore.filter((name) => !linksAfter.includes(name)).map((name) => `interface ${name}`),
  ];
}

/** Applies an empty list as the desired state. */
async function empty<Actual, Change>(engine: Engine<readonly never[], Actual, Change>): Promise<void> {
  await engine.apply(engine.changes([], await engine.observe()));
}

/** The name of each program, by its record or by a variable of its environment. */
function processNames(system: System, folder: string): string[] {
  const records = system
    .list(folder)
    .flatMap((file) => (file.endsWith(".json") ? [file.slice(0, -".json".length)] : []));
  const running = system
    .findProcesses(`PORTCULLIS_CHILD=${folder}/`)
    .map(({ word }) => word.slice(word.lastIndexOf("/") + 1).replace(/#.*$/, ""));
  return [...new Set([...records, ...running])].toSorted();
}

/** Family and name. The prefix is ours alone. */
async function ourTables(system: System): Promise<string[]> {
  const listing = await system.run("nft", ["list", "tables"]);
  const names = [...listing.matchAll(/^table (\S+ portcullis(?:_\w+)?)$/gm)].map(([, name]) => name!);
  return names.toSorted((a, b) => Number(a.endsWith("_guard")) - Number(b.endsWith("_guard")));
}

const ourRules = async (system: System, family: 4 | 6): Promise<number[]> =>
  (JSON.parse(await system.run("ip", ["-j", `-${family}`, "rule"])) as { priority?: number }[])
    .map(({ priority = 0 }) => priority)
    .filter((priority) => isOurPriority(priority) || priority === probeTableNumber);

async function ourRoutes(system: System, family: 4 | 6): Promise<number[]> {
  const listing = await system.run("ip", ["-N", "-j", `-${family}`, "route", "show", "table", "all"]);
  const tables = (JSON.parse(listing) as { table?: string }[]).map(({ table }) => Number(table ?? 254));
  return [...new Set(tables)].filter((table) => isOurTable(table) || table === probeTableNumber);
}
