import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { bootstrapText } from "../../../testing/gateway.ts";
import { daemonProgram } from "../../../testing/programs.ts";

test("log: the daemon keeps running if the reader of its log is gone", async () => {
  using folder = temporaryFolder();
  const config = join(folder.path, "portcullis.yaml");
  writeFileSync(config, bootstrapText({ log: { level: "debug" } }));
  const daemon = spawn(process.execPath, [daemonProgram, "--config", config], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(daemon, "exit");
  try {
    const [line] = (await once(createInterface({ input: daemon.stdout }), "line")) as [string];
    const { address } = JSON.parse(line) as { address: string };
    daemon.stdout.destroy();
    for (let time = 0; time < 20; time++) expect((await fetch(`${address}/api/v1/health`)).status).toBe(200);
    expect(daemon.exitCode).toBeNull();
  } finally {
    daemon.kill("SIGTERM");
    await ended;
  }
  expect(daemon.exitCode).toBe(0);
});
