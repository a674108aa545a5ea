import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { temporaryFolder } from "../testing/folder.ts";
import type { Host } from "./namespaces.ts";

/** The built daemon inside a host of the lab, as it would run on a router. Resolves once it listens. */
export async function startDaemon(host: Host, config: object): Promise<{ [Symbol.dispose](): void }> {
  const folder = temporaryFolder();
  const file = join(folder.path, "portcullis.yaml");
  writeFileSync(file, JSON.stringify({ paths: { state: "./state", run: "./run" }, ...config }));
  const child = host.start(process.execPath, resolve("dist/portcullisd.mjs"), "--config", file);
  const complaints: string[] = [];
  child.stderr?.on("data", (chunk: Buffer) => complaints.push(chunk.toString()));
  for await (const line of createInterface({ input: child.stdout! })) if (line.includes("is listening")) return folder;
  throw new Error(`The daemon ended before it listened: ${complaints.join("")}`);
}
