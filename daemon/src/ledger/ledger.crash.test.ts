import { cpSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../../../testing/daemon.ts";
import { temporaryFolder } from "../../../testing/folder.ts";
import { announceSeed, randomFrom } from "../../../testing/seed.ts";
import { editState, readState } from "../../../testing/state.ts";
import { violations, observe, type Checkpoint, checkpoint } from "../../../testing/consistency.ts";
import { createWriter, write, type Writer } from "../../../testing/writers.ts";

const crashes = Number(process.env["CRASHES"] ?? 6);
const random = randomFrom(announceSeed("ledger crashes"));

/** Few snapshots are kept, so that crashes also hit the deletion of old ones. */
const config = { limits: { requests_per_minute: 1_000_000, snapshots_kept: 60, audit_entries_kept: 10_000_000 } };
const nothingYet: Checkpoint = { revision: 1, auditId: 0 };

const sixWriters = (): Writer[] => [
  createWriter("w0", []),
  createWriter("w1", []),
  ...["w2", "w3", "w4", "w5"].map((name) => createWriter(name, [])),
];

/** All clients write. Some time after the first response the daemon is killed. */
async function writeAndKill(writers: readonly Writer[], daemon: TestDaemon): Promise<void> {
  const writing = Promise.all(writers.map((it) => write(it, daemon, { random, isEnough: () => false })));
  const isAnswered = () => writers.some(({ acknowledged }) => acknowledged.length > 0);
  await vi.waitUntil(isAnswered, { timeout: 600_000, interval: 1 });
  await wait(5 + random() * 245);
  await daemon.kill9();
  await writing;
}

test(`ledger: ${crashes} crashes under six writers lose nothing acknowledged and leave nothing half done`, async () => {
  using folder = temporaryFolder();
  await using daemons = new AsyncDisposableStack();
  const start = async () => daemons.use(await startDaemon(folder.path, { config }));
  const writers = sixWriters();
  const tally = { acknowledged: 0, unanswered: 0, happened: 0 };
  const startedAt = performance.now();
  let since = nothingYet;
  let daemon = await start();

  for (let death = 1; death <= crashes; death++) {
    await writeAndKill(writers, daemon);
    const disk = readState(join(folder.path, "state"));
    daemon = await start();
    const seen = await observe(daemon, since);
    expect({ death, findings: await violations(writers, seen, disk, since) }).toEqual({ death, findings: [] });
    const acknowledged = writers.flatMap((it) => it.acknowledged).length;
    tally.acknowledged += acknowledged;
    tally.unanswered += writers.filter(({ inFlight }) => inFlight).length;
    tally.happened += seen.audit.length - acknowledged;
    since = checkpoint(writers, seen, since);
  }
  const minutes = (performance.now() - startedAt) / 60_000;
  process.stdout.write(
    `${crashes} crashes, ${Math.round(crashes / minutes)} a minute: ${tally.acknowledged} changes acknowledged, ` +
      `${tally.unanswered} unanswered, of which ${tally.happened} had happened\n`,
  );
});

const someDevice = "(SELECT max(id) FROM staged WHERE kind = 'device')";

test("ledger: the witness notices what is lost, torn or made up", async () => {
  using folder = temporaryFolder();
  const writers = sixWriters();
  {
    await using daemon = await startDaemon(folder.path, { config });
    const held = (kind: string) =>
      writers.some(({ resources }) => [...resources.keys()].some((it) => it.startsWith(kind)));
    const isEnough = () => held("device ") && held("secret ") && held("device_group ");
    await Promise.all(writers.map((it) => write(it, daemon, { random, isEnough })));
  }
  async function findingsAfter(sabotage: string): Promise<string[]> {
    using copy = temporaryFolder();
    cpSync(folder.path, copy.path, { recursive: true });
    const stateFolder = join(copy.path, "state");
    expect(editState(stateFolder, sabotage)).toBeGreaterThan(0);
    const disk = readState(stateFolder);
    await using daemon = await startDaemon(copy.path, { config });
    return await violations(writers, await observe(daemon, nothingYet), disk, nothingYet);
  }
  const sabotages: [sql: string, finding: RegExp][] = [
    [`DELETE FROM staged WHERE kind = 'device' AND id = ${someDevice}`, /^device w.* was \{.*\} and is undefined$/],
    [`UPDATE staged SET body = json_set(body, '$.notes', 'torn') WHERE id = ${someDevice}`, /^device w.*"torn"/],
    [
      `UPDATE staged SET body = json_set(body, '$.name', 'stray') WHERE id = ${someDevice}`,
      /^no writer created device stray$/,
    ],
    [
      `UPDATE staged SET body = json_set(body, '$.group_ids', json_array('x')) WHERE id = ${someDevice}`,
      /^device w.*"x"/,
    ],
    ["DELETE FROM audit WHERE id = (SELECT max(id) FROM audit)", /^no audit entry for /],
    ["UPDATE audit SET action = 'dream' WHERE id = 1", /^an audit entry for dream .* which did not happen$/],
    ["DELETE FROM audit WHERE id = (SELECT max(id) - 1 FROM audit)", /^the audit log has a gap before /],
    [
      "UPDATE revision SET number = number + 1 WHERE number = (SELECT max(number) FROM revision)",
      /^\d+ changes made \d+ revisions$/,
    ],
    [`DELETE FROM version WHERE id = ${someDevice}`, /^device .* is not published as it is staged$/],
    [`UPDATE version SET until = 2 WHERE id = ${someDevice}`, /^device .* is not published as it is staged$/],
    ["UPDATE kind_digest SET digest = 'other' WHERE kind = 'device'", /^the digest of kind device is not/],
    ["UPDATE revision SET digest = 'other'", /^the snapshot's digest is not/],
    ["DELETE FROM sealed_value", /^the value of secret w.* is not the one that was sent$/],
  ];
  expect(await findingsAfter("UPDATE audit SET actor = actor")).toEqual([]);
  for (const [sql, finding] of sabotages)
    expect({ sql, findings: await findingsAfter(sql) }).toEqual({
      sql,
      findings: expect.arrayContaining([expect.stringMatching(finding)]),
    });
});
