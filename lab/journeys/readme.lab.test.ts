import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { openLab } from "../namespaces.ts";

/** The commands of the README's blocks, by the comment each block begins with. */
function readmeBlock(title: string): string[] {
  const blocks = [...readFileSync("README.md", "utf8").matchAll(/```sh\n# ([^\n]+)\n([\s\S]*?)```/g)];
  const block = blocks.find(([, heading]) => heading === title);
  if (!block) throw new Error(`The README has no block called "${title}"`);
  return block[2]!.trim().split("\n");
}

test("somebody who knows nothing starts the gateway with three commands and makes a device by CLI and by curl", async () => {
  await using lab = openLab();

  const machine = await lab.host("fresh");
  const start = readmeBlock("start");
  expect(start).toHaveLength(3);
  expect(start.slice(0, 2)).toEqual(["npm ci", "npm run build"]); // CI has just run both.

  const inHere = `cd ${resolve(".")} &&`;
  const daemon = machine.start("bash", "-c", `${inHere} exec ${start[2]}`);
  for await (const line of createInterface({ input: daemon.stdout! })) if (line.includes("is listening")) break;

  const [byCli, byCurl, list] = readmeBlock("try");
  expect(JSON.parse(await machine.run("bash", "-c", `${inHere} ${byCli}`))).toMatchObject({ name: "Living room TV" });
  expect(JSON.parse(await machine.run("bash", "-c", `${inHere} ${byCurl}`))).toMatchObject({ name: "Phone" });
  const table = await machine.run("bash", "-c", `${inHere} ${list}`);
  expect(table).toContain("Living room TV\t");
  expect(table).toContain("Phone\t");
});
