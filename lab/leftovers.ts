import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { linux } from "../daemon/src/system/system.ts";

/*
 * Leftovers of killed tests and programs: namespaces with their processes, and sockets.
 */

/**
 * Prefix of a lab's namespaces. It contains the process id of the owner, so that other tests can tell when it has
 * ended.
 */
export const labPrefix = (owner: number, word: string): string => `pl${owner}x${word}`;
const ownerOf = (namespace: string): number | undefined => {
  const [, owner] = /^pl(\d+)x[0-9a-f]{6}-/.exec(namespace) ?? [];
  return owner === undefined ? undefined : Number(owner);
};

/**
 * Removes the labs of processes that have ended; returns their namespaces. A lab with a live or unknown owner stays.
 */
export function clearLeftLabs(): string[] {
  const left = list("/var/run/netns").filter((namespace) => {
    const owner = ownerOf(namespace);
    return owner !== undefined && !isAlive(owner);
  });
  for (const namespace of left) clear(namespace);
  return left;
}

function clear(namespace: string): void {
  // Two tests may have found it at the same time.
  const ask = (...words: string[]) => {
    try {
      return execFileSync("ip", words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    } catch {
      return "";
    }
  };
  const devices = ask("-n", namespace, "-o", "link").matchAll(/^\d+: ([^:@]+)/gm);
  for (const [, device] of devices) removeSocket(device!);
  for (const processId of ask("netns", "pids", namespace).split("\n").filter(Boolean))
    linux.signal(Number(processId), "SIGKILL");
  ask("netns", "del", namespace);
  rmSync(`/etc/netns/${namespace}`, { recursive: true, force: true });
}

/** Kills the processes that engines have left running in their folder. */
export function killSupervised(folder: string): void {
  for (const { processId } of linux.findProcesses(`PORTCULLIS_CHILD=${folder}/children/`))
    linux.signal(processId, "SIGKILL");
  for (const record of list(`${folder}/wireguard`)) removeSocket(record.replace(/\.json$/, ""));
}

/** A program of WireGuard that is killed leaves its socket, in a folder that all namespaces share. */
export const removeSocket = (device: string): void => rmSync(`/var/run/wireguard/${device}.sock`, { force: true });

const list = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== "ESRCH";
  }
}
