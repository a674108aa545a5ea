import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { linux } from "../daemon/src/system/system.ts";
import { clearLeftLabs } from "./leftovers.ts";
import { openLab } from "./namespaces.ts";
import { uniqueName } from "./servers.ts";

/** Named almost like a lab's namespace, but not one. */
const theirs = `pl${uniqueName("")}-gw`;
afterAll(() => void execFileSync("ip", ["netns", "del", theirs]));

const namespaces = (): string[] => readdirSync("/var/run/netns");
const socketOf = (device: string): string => `/var/run/wireguard/${device}.sock`;

/** A test in a process of its own, with a host, a process in it, and the leftovers of a killed program. */
async function startTest(device: string) {
  const test_ = spawn(process.execPath, ["--input-type=module", "--eval", story, device], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(test_, "exit").then(() => Promise.reject(new Error("The test ended by itself")));
  ended.catch(() => {}); // A failure only while a caller waits for its line.
  const line = once(createInterface({ input: test_.stdout }), "line") as Promise<[string]>;
  const { namespace, processId } = JSON.parse((await Promise.race([line, ended]))[0]) as {
    namespace: string;
    processId: number;
  };
  mkdirSync(`/etc/netns/${namespace}`, { recursive: true });
  mkdirSync("/var/run/wireguard", { recursive: true });
  writeFileSync(socketOf(device), "");
  return {
    namespace,
    processId,
    kill: async () => {
      test_.kill("SIGKILL");
      await ended.catch(() => {});
    },
  };
}
const story = `
import { openLab } from ${JSON.stringify(resolve("lab/namespaces.ts"))};
const lab = openLab();
const host = await lab.host("gw");
await host.run("ip", "link", "add", process.argv[1], "type", "bridge");
const { pid } = host.start("sleep", "600");
console.log(JSON.stringify({ namespace: host.namespace, processId: pid }));
`;

test("what a killed test leaves is cleared, and nothing else is", async () => {
  execFileSync("ip", ["netns", "add", theirs]);
  await using lab = openLab();
  const living = await lab.host("gw");
  const device = uniqueName("wg");
  const left = await startTest(device);
  const stands = () => ({
    namespace: namespaces().includes(left.namespace),
    folder: existsSync(`/etc/netns/${left.namespace}`),
    socket: existsSync(socketOf(device)),
    inhabitant: linux.processStart(left.processId) !== undefined,
  });
  try {
    expect(clearLeftLabs()).not.toContain(left.namespace);
    expect(stands()).toEqual({ namespace: true, folder: true, socket: true, inhabitant: true });
    await left.kill();
    // Not held against its answer: a lab that another file opens at this moment may have been quicker.
    clearLeftLabs();
    await expect.poll(stands).toEqual({ namespace: false, folder: false, socket: false, inhabitant: false });
    expect(namespaces()).toEqual(expect.arrayContaining([living.namespace, theirs]));
  } finally {
    await left.kill();
    rmSync(socketOf(device), { force: true });
  }
});
