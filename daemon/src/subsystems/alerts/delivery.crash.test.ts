import { setTimeout as wait } from "node:timers/promises";
import { because } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { startDaemon } from "../../../../testing/daemon.ts";
import { until } from "../../../../testing/deadline.ts";
import { alertAt, alertId, folderWith } from "../../../../testing/earlier-state.ts";
import { openReceiver } from "../../../../testing/receiver.ts";
import { announceSeed, randomFrom } from "../../../../testing/seed.ts";

const crashes = Number(process.env["DELIVERY_CRASHES"] ?? 2);
const perRound = 12;
const random = randomFrom(announceSeed("delivery crashes"));

test(`alerts: ${crashes} crashes during deliveries lose no message, keep their order, and give all copies of one the same id`, async () => {
  await using receiver = await openReceiver(async () => {
    await wait(20 * random());
    return {};
  });
  const numbers = Array.from({ length: crashes * perRound }, (_, index) => index + 1);
  const reason = because("alert_drift", { first: "table", items: 2 });
  using folder = folderWith({ alerts: numbers.map((number) => alertAt(Date.now(), number, reason)) });
  {
    await using daemon = await startDaemon(folder.path);
    const body = { name: "Ops", type: "webhook", url: receiver.url };
    expect((await daemon.request("POST", "/alert-channels", { body })).status).toBe(201);
    await daemon.stop();
  }
  /** Resolved, as the gateway answered; the answer to the last one of a round may be missing. */
  const resolved: string[] = [];
  const uncertain = new Set<string>();
  for (let round = 0; round < crashes; round++) {
    await using daemon = await startDaemon(folder.path);
    const killAt = Math.floor(random() * perRound);
    let killed: Promise<void> | undefined;
    for (const [index, number] of numbers.slice(round * perRound, (round + 1) * perRound).entries()) {
      const id = alertId(number);
      if (index === killAt) killed = wait(40 * random()).then(() => daemon.kill9());
      try {
        expect((await daemon.request("POST", `/alerts/${id}/resolve`)).status).toBe(200);
        resolved.push(id);
      } catch {
        uncertain.add(id); // The daemon is dead.
        break;
      }
    }
    await killed;
  }
  const beforeLast = receiver.received.length;
  await using daemon = await startDaemon(folder.path);
  const waiting = async () => (await daemon.request("GET", "/alert-deliveries?state=waiting")).json().length as number;
  await until("nothing waits", async () => (await waiting()) === 0, 30);

  const copies = receiver.received.map((it) => ({ alert: it.json().id, id: it.headers["x-portcullis-delivery"] }));
  const firsts = [...new Map(copies.map((it) => [it.alert, it])).keys()];
  expect(firsts.filter((id) => !uncertain.has(id))).toEqual(resolved);
  expect(firsts.filter((id) => !resolved.includes(id) && !uncertain.has(id))).toEqual([]);
  expect(new Set(copies.map(({ id }) => id)).size).toBe(firsts.length);
  process.stdout.write(
    `${resolved.length} messages, ${copies.length - firsts.length} copies, ${copies.length - beforeLast} after the last crash\n`,
  );
  expect(resolved.length).toBeGreaterThan(0);
});
