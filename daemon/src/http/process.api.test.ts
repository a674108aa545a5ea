import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { ownSec } from "../../../testing/clock.ts";
import { expectWithin, repeatable } from "../../../testing/deadline.ts";
import { temporaryFolder } from "../../../testing/folder.ts";
import { bootstrapText } from "../../../testing/gateway.ts";
import { daemonProgram } from "../../../testing/programs.ts";
import { openRawConnection, wire } from "../../../testing/raw-http.ts";
import { openEventStream } from "../../../testing/event-stream.ts";

/** The daemon as people run it: a process, a file, a signal. */
async function launch(program: string) {
  const folder = temporaryFolder();
  const file = join(folder.path, "portcullis.yaml");
  writeFileSync(file, bootstrapText({ log: { level: "debug" } }));
  const child = spawn(process.execPath, [program, "--config", file], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit") as Promise<[number | null, string | null]>;
  const logged: Record<string, unknown>[] = [];
  const lines = createInterface(child.stdout);
  lines.on("line", (line) => void logged.push(JSON.parse(line) as Record<string, unknown>));
  await Promise.race([once(lines, "line"), exited]);
  const origin = String(logged[0]?.["address"]);
  return {
    origin,
    host: new URL(origin).host,
    logged,
    /** Sends the signal; answers how the process ended and how long it took. */
    stop: async (signal: NodeJS.Signals = "SIGTERM") => {
      const reportedAt = ownSec();
      child.kill(signal);
      const [code, killedBy] = await exited;
      return { code, killedBy, tookSec: ownSec() - reportedAt };
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
      folder[Symbol.dispose]();
    },
  };
}

async function expectCleanStop(stopped: Promise<{ code: number | null; killedBy: string | null; tookSec: number }>) {
  const { tookSec, ...how } = await stopped;
  expect(how).toEqual({ code: 0, killedBy: null });
  expectWithin(2, { stop: tookSec });
}

describe("daemon: a stop succeeds within two seconds", repeatable, () => {
  test.each(["SIGTERM", "SIGINT"] as const)("by %s, with nothing to do", async (signal) => {
    await using daemon = await launch(daemonProgram);
    await expectCleanStop(daemon.stop(signal));
    expect(daemon.logged.map(({ msg }) => msg)).toEqual(["portcullisd is listening", "stopping", "stopped"]);
  });

  test("with a request in progress, which is answered", async () => {
    await using daemon = await launch(daemonProgram);
    const { host, origin } = daemon;
    using line = openRawConnection(origin);
    const body = JSON.stringify({ name: "TV" });
    const headers = { host, "content-type": "application/json", "content-length": String(body.length) };
    line.send(wire("GET /api/v1/health HTTP/1.1", { host }));
    expect(await line.answer()).toMatchObject({ status: 200 });
    line.send(wire("POST /api/v1/devices HTTP/1.1", headers, body.slice(0, 5)));
    using other = openRawConnection(origin);
    other.send(wire("GET /api/v1/health HTTP/1.1", { host }));
    expect(await other.answer()).toMatchObject({ status: 200 });
    const stopped = daemon.stop();
    // The daemon grants one second from here. Half a body needs almost none of it, a key derivation more under load.
    await expect.poll(() => daemon.logged.map(({ msg }) => msg), { interval: 5 }).toContain("stopping");
    line.send(body.slice(5));
    expect(await line.answer()).toMatchObject({ status: 201 });
    await expectCleanStop(stopped);
  });

  test("with a request that never arrives whole", async () => {
    await using daemon = await launch(daemonProgram);
    const { host, origin } = daemon;
    using line = openRawConnection(origin);
    line.send(wire("GET /api/v1/health HTTP/1.1", { host }));
    expect(await line.answer()).toMatchObject({ status: 200 });
    line.send(
      wire("POST /api/v1/devices HTTP/1.1", { host, "content-type": "application/json", "content-length": "99" }, "{"),
    );
    await expectCleanStop(daemon.stop());
  });

  test("with a listener, which gets the event, and one that has stopped reading", async () => {
    await using daemon = await launch(daemonProgram);
    await using listener = await openEventStream(daemon.origin);
    await using deaf = await openEventStream(daemon.origin);
    deaf.response.pause();
    expect([listener.status, deaf.status]).toEqual([200, 200]);
    const stopped = daemon.stop();
    expect((await listener.ended()).at(-1)).toMatchObject({ event: "daemon.stopping" });
    await expectCleanStop(stopped);
  });
});
