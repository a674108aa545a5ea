import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ownUsers } from "../../daemon/src/engines/sandbox/sandbox.model.ts";
import type { LogRecord } from "../../daemon/src/engines/dnsdist/log.parse.ts";
import { openLogReceiver } from "../../daemon/src/engines/dnsdist/log.receiver.ts";
import { linux } from "../../daemon/src/system/system.ts";
import { temporaryFolder } from "../../testing/folder.ts";

const execute = promisify(execFile);
const settings = readFileSync("daemon/src/engines/dnsdist/recordings/log.conf", "utf8");

/** A real dnsdist that has a receiver to tell of its answers. It runs as the user given; the receiver hears fronts only. */
async function frontAs(userId: number) {
  const folder = temporaryFolder();
  const [front, back, log] = [await freePort(), await freePort(), await freePort()];
  const records: LogRecord[] = [];
  const isFrontend = (user: number) => user >= ownUsers.first && user <= ownUsers.last;
  const receiver = openLogReceiver({
    system: linux,
    port: log,
    isFrontend,
    onBatch: (batch) => void records.push(...batch),
  });
  const file = join(folder.path, "dnsdist.conf");
  const text = settings.replaceAll("15300", `${front}`).replaceAll("15301", `${back}`).replaceAll("17991", `${log}`);
  writeFileSync(file, text);
  chmodSync(folder.path, 0o755);
  const args = [
    "--reuid",
    `${userId}`,
    "--regid",
    `${userId}`,
    "--clear-groups",
    "dnsdist",
    "--supervised",
    "-C",
    file,
  ];
  const dnsdist: ChildProcess = spawn("setpriv", args, { stdio: "ignore" });
  const ask = async (name: string, type: string, patienceSec = 10) =>
    (await execute("kdig", ["@127.0.0.1", "-p", `${front}`, "+retry=0", `+time=${patienceSec}`, name, type])).stdout;
  await expect.poll(() => ask("ready.example", "A", 1).catch(() => "")).toContain("192.0.2.1");
  return {
    records,
    counts: receiver.counts,
    ask,
    [Symbol.asyncDispose]: async () => {
      const ended = once(dnsdist, "exit");
      dnsdist.kill("SIGKILL");
      await ended;
      receiver.close();
      folder[Symbol.dispose]();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

test("DNS log: answers of a frontend are received with their verdicts", async () => {
  await using front = await frontAs(ownUsers.first + 18_000);
  await front.ask("ads.example", "HTTPS");
  await front.ask("good.example", "A");
  await front.ask("good.example", "A");
  const about = (name: string) => front.records.filter((it) => it.name === name && it.side !== "up");
  await expect.poll(() => about("good.example").length).toBe(2);
  expect(about("ads.example")).toMatchObject([
    { verdict: "block", by: { kind: "list", bit: 3 }, rcode: 3, side: "self" },
  ]);
  expect(about("good.example").map(({ side }) => side)).toEqual(["front", "cache"]);
});

test("DNS log: the same program as another user is not accepted", async () => {
  await using otherUser = await frontAs(65_534);
  await otherUser.ask("good.example", "A");
  await expect.poll(() => otherUser.counts().refused).toBeGreaterThan(0);
  expect(otherUser.records).toEqual([]);
});
