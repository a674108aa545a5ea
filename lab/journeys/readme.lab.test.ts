import { cpSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../testing/folder.ts";
import { openLab } from "../namespaces.ts";

/** The commands of the README's blocks, by the comment each block begins with. */
function readmeBlock(title: string): string[] {
  const blocks = [...readFileSync("README.md", "utf8").matchAll(/```sh\n# ([^\n]+)\n([\s\S]*?)```/g)];
  const block = blocks.find(([, heading]) => heading === title);
  if (!block) throw new Error(`The README has no block called "${title}"`);
  return block[2]!.trim().split("\n");
}

test("who knows nothing starts the gateway with three commands and makes a device by CLI and by curl", async () => {
  await using lab = openLab();
  using folder = temporaryFolder();
  const machine = await lab.host("fresh");
  const [install, build, start] = readmeBlock("start");
  expect([install, build, readmeBlock("start").length]).toEqual(["npm ci", "npm run build", 3]); // CI has just run both.

  // A copy of the file keeps its state beside itself, so that no existing state is touched.
  const config = join(folder.path, "scripts", "dev.yaml");
  cpSync("scripts/dev.yaml", config);
  const here = `cd ${resolve(".")} &&`;
  const daemon = machine.start("bash", "-c", `${here} exec ${start!.replace("scripts/dev.yaml", config)}`);
  for await (const line of createInterface({ input: daemon.stdout! })) if (line.includes("is listening")) break;

  const [byCli, byCurl, list] = readmeBlock("try");
  expect(JSON.parse(await machine.run("bash", "-c", `${here} ${byCli}`))).toMatchObject({ name: "Kitchen TV" });
  expect(JSON.parse(await machine.run("bash", "-c", `${here} ${byCurl}`))).toMatchObject({ name: "NAS" });
  const table = await machine.run("bash", "-c", `${here} ${list}`);
  expect(table).toContain("\tKitchen TV\t");
  expect(table).toContain("\tNAS\t");
});
