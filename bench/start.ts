import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { basePath } from "@portcullis/contract/api";
import { ownMs } from "../testing/clock.ts";
import type { Figure } from "../testing/figure.ts";

const rounds = 7;
const program = join(import.meta.dirname, "../dist/portcullisd.mjs");

/** From the start of the built daemon's process until /health answers 200. The fastest counts: other load only increases it. */
export async function start(): Promise<Figure[]> {
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await healthy());
    bare.push(await bareFramework());
  }
  const note = `fastest of ${rounds} starts; Node with Fastify alone ${(Math.min(...bare) / 1000).toFixed(2)} s`;
  return [
    { name: "daemon, process start to first API answer", value: Math.min(...ours) / 1000, unit: "s", most: 1.5, note },
  ];
}

async function healthy(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-bench-"));
  const file = join(folder, "portcullis.yaml");
  const config = {
    listen: { api_addr: "127.0.0.1:0" },
    paths: { state: "./state", run: "./run" },
    dataplane: { enabled: false },
  };
  writeFileSync(file, JSON.stringify(config));
  const startedAt = ownMs();
  const child = spawn(process.execPath, [program, "--config", file], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    const { address } = JSON.parse(line) as { readonly address: string };
    const { status } = await fetch(`${address}${basePath}/health`);
    if (status !== 200) throw new Error(`A daemon that has just started answers ${status} on /health`);
    return ownMs() - startedAt;
  } finally {
    const ended = once(child, "exit");
    child.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bareFramework(): Promise<number> {
  const startedAt = ownMs();
  const script =
    'import fastify from "fastify"; await fastify().listen({ port: 0, host: "127.0.0.1" }); process.exit(0)';
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error("The bare framework did not start");
  return ownMs() - startedAt;
}
