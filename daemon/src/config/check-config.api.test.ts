import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { daemonProgram } from "../../../testing/programs.ts";

/** What the daemon says of a file, and with which status it ends. */
async function check(config: object, mode: number, option = "--check-config") {
  using folder = temporaryFolder();
  const file = join(folder.path, "portcullis.yaml");
  writeFileSync(file, JSON.stringify({ paths: { state: "./state", run: "./run" }, ...config }));
  chmodSync(file, mode);
  return await new Promise<{ code: unknown; said: string }>((resolve) =>
    execFile(process.execPath, [daemonProgram, option, file], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, said: stdout + stderr }),
    ),
  );
}
const strong = randomBytes(32).toString("hex");

test("--check-config and the start refuse an open API on the network and a local_net of the whole Internet", async () => {
  const open = { listen: { api_addr: "0.0.0.0:0" } };
  const world = { auth: { enabled: true, local_net: "0.0.0.0/0" } };
  for (const option of ["--check-config", "--config"]) {
    expect(await check(open, 0o600, option)).toMatchObject({
      code: 1,
      said: expect.stringContaining("listen.api_addr: can be reached from other machines"),
    });
    expect(await check(world, 0o600, option)).toMatchObject({
      code: 1,
      said: expect.stringContaining("auth.local_net: covers networks that are not yours"),
    });
  }
});

test("--check-config warns of a weak key and of a file that others can read, and takes it nevertheless", async () => {
  // With the dataplane on, the interfaces of the machine that runs the test would matter too.
  const file = (...api_keys: string[]) => ({ auth: { enabled: true, api_keys }, dataplane: { enabled: false } });
  const { code, said } = await check(file("aaaaaaaaaaaaaaaa"), 0o644);
  expect([code, said.match(/^warning: /gm)?.length]).toEqual([0, 2]);
  expect(said).toMatch(/chmod 600[\s\S]*is easy to guess[\s\S]*: valid\n$/);
  expect(said).not.toContain("aaaaaaaaaaaaaaaa");
  expect(await check(file(strong), 0o600)).toMatchObject({
    code: 0,
    said: expect.stringMatching(/^\S+: valid\n$/),
  });
});
