import { once } from "node:events";
import type { Readable } from "node:stream";
import { events } from "@portcullis/contract/events";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { createApiServer } from "../../../testing/api-server.ts";
import { openEventStream } from "../../../testing/event-stream.ts";
import { announceSeed } from "../../../testing/seed.ts";
import { openLive } from "./live.ts";

announceSeed("live");

const open = (maxStreams = 40) => openLive({ now: () => new Date("2026-03-01T08:00:00Z"), maxStreams });
const revisionsIn = (text: string): number[] => [...text.matchAll(/"revision":(\d+)/g)].map(([, it]) => Number(it));
const idsIn = (text: string): number[] => [...text.matchAll(/^id: (\d+)$/gm)].map(([, it]) => Number(it));

/** Everything the stream has at this moment. */
function read(stream: Readable): string {
  let text = "";
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) text += String(chunk);
  return text;
}

test("event stream: a listener that reconnects with its last id receives every event once and in order", () =>
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 20 }), { maxLength: 12 }), (bursts) => {
      const live = open(400);
      let text = read(live.listen(undefined));
      let revision = 0;
      for (const [turn, burst] of bursts.entries()) {
        const last = idsIn(text).at(-1);
        const missedWhileAway = turn % 2 === 0;
        const stream = missedWhileAway ? undefined : live.listen(last === undefined ? undefined : String(last));
        for (let count = 0; count < burst; count += 1) live.announce("revision.applied", { revision: (revision += 1) });
        text += read(stream ?? live.listen(String(last ?? 0)));
      }
      expect(revisionsIn(text)).toEqual(Array.from({ length: revision }, (_, before) => before + 1));
      live.close();
    }),
  ));

test("event stream: what is further back than a thousand events is forgotten", () => {
  const live = open();
  for (let revision = 1; revision <= 1500; revision += 1) live.announce("revision.applied", { revision });
  const received = revisionsIn(read(live.listen("0")));
  expect([received.length, received[0], received.at(-1)]).toEqual([1000, 501, 1500]);
  live.close();
});

test("event stream: a listener who does not read is let go, and the others are not", async () => {
  const live = open();
  const [deaf, keen] = [live.listen(undefined), live.listen(undefined)];
  const gone = once(deaf, "error");
  let received = 0;
  keen.on("data", (chunk: Buffer) => void (received += revisionsIn(String(chunk)).length));
  for (let revision = 1; revision <= 200; revision += 1) {
    live.announce("revision.published", { revision, cause: "x".repeat(10_000), actor: "" });
    await new Promise(setImmediate);
  }
  expect(String(await gone)).toContain("does not read");
  expect([live.listeners(), received, keen.destroyed]).toEqual([1, 200, false]);
  live.close();
});

test("event stream: over the wire, too, a listener who does not read is let go and its line is cut", async () => {
  const live = open(1);
  const app = createApiServer({ events }, { events: { stream: (_, { lastEventId }) => live.listen(lastEventId) } });
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  const deaf = await openEventStream(origin);
  deaf.response.pause();
  expect(live.listeners()).toBe(1);
  // More than the kernel keeps for a line, which is some megabytes.
  for (let revision = 1; live.listeners() > 0 && revision < 10_000; revision += 1) {
    live.announce("revision.published", { revision, cause: "x".repeat(100_000), actor: "" });
    await new Promise(setImmediate);
  }
  expect(live.listeners()).toBe(0);
  deaf.response.resume();
  expect((await deaf.ended()).at(-1)?.event).not.toBe("daemon.stopping");
  await using keen = await openEventStream(origin);
  expect(keen.status).toBe(200);
  live.close();
  await app.close();
});

test("event stream: a listener who is not welcome any more hears nothing more and is let go, and the others are not", async () => {
  const live = open(8);
  let isAuthorized = true;
  const [guest, resident] = [live.listen(undefined, { isAuthorized: () => isAuthorized }), live.listen(undefined)];
  live.announce("revision.applied", { revision: 1 });
  live.review();
  expect([revisionsIn(read(guest)), live.listeners()]).toEqual([[1], 2]);
  isAuthorized = false;
  const ended = once(guest, "end");
  live.announce("revision.applied", { revision: 2 });
  expect([revisionsIn(read(guest)), revisionsIn(read(resident)), live.listeners()]).toEqual([[], [1, 2], 1]);
  await ended;
  live.listen(undefined);
  expect(live.listeners()).toBe(2);
  live.close();
});

test("event stream: a listener who is not welcome any more and does not read is cut off", async () => {
  const live = open();
  const deaf = live.listen(undefined, { isAuthorized: () => false });
  const gone = once(deaf, "error");
  live.review();
  expect(String(await gone)).toContain("is not authorized any more");
  expect([deaf.destroyed, live.listeners()]).toEqual([true, 0]);
  live.close();
});

test("event stream: a line that is quiet is kept open by a comment every fifteen seconds", () => {
  vi.useFakeTimers();
  try {
    const live = open();
    const stream = live.listen(undefined);
    expect(read(stream)).toBe(": welcome\n\n");
    vi.advanceTimersByTime(45_000);
    expect(read(stream)).toBe(": still here\n\n".repeat(3));
    live.close();
  } finally {
    vi.useRealTimers();
  }
});

test("event stream: a listener whose time is over is let go within fifteen seconds, also when nothing happens", () => {
  vi.useFakeTimers();
  try {
    const live = open();
    let isAuthorized = true;
    const stream = live.listen(undefined, { isAuthorized: () => isAuthorized });
    expect(read(stream)).toBe(": welcome\n\n");
    vi.advanceTimersByTime(15_000);
    expect([read(stream), live.listeners()]).toEqual([": still here\n\n", 1]);
    isAuthorized = false;
    vi.advanceTimersByTime(15_000);
    expect([read(stream), live.listeners()]).toEqual(["", 0]);
    live.close();
  } finally {
    vi.useRealTimers();
  }
});

test("event stream: after close no event is sent, and no listener is accepted", () => {
  const live = open();
  const stream = live.listen(undefined);
  live.close();
  live.announce("revision.applied", { revision: 1 });
  expect(revisionsIn(read(stream))).toEqual([]);
  expect(live.listeners()).toBe(0);
  expect(() => live.listen(undefined)).toThrow("does not answer, or the gateway is stopping");
});

const taking = (live: ReturnType<typeof open>, owner: string, isAdmin: boolean) => {
  try {
    return live.listen(undefined, { owner, isAdmin }).on("error", () => {});
  } catch (error) {
    return (error as { details: { limit: number } }).details.limit;
  }
};

test("event stream: one credential holds a quarter of the streams at most, and others have the rest", () => {
  const live = open(8);
  const viewer = () => taking(live, "key:dashboard", false);
  expect([viewer(), viewer(), viewer()].map((it) => typeof it)).toEqual(["object", "object", "number"]);
  for (const owner of ["a", "b", "c"]) for (let turn = 0; turn < 2; turn += 1) taking(live, owner, false);
  expect([live.listeners(), taking(live, "d", false)]).toEqual([8, 8]);
  live.close();
});

test("event stream: when all streams are taken an admin gets one, from who has most, and no more than one", () => {
  const live = open(8);
  const held = ["a", "b", "c", "d"].map((owner) => [taking(live, owner, false), taking(live, owner, false)]);
  expect(live.listeners()).toBe(8);
  const admin = taking(live, "ada", true);
  expect([typeof admin, live.listeners()]).toEqual(["object", 8]);
  expect(held.flat().filter((it) => typeof it === "object" && it.readableEnded === false && it.destroyed)).toHaveLength(
    1,
  );
  expect(taking(live, "ada", true)).toBe(8);
  live.close();
});

test("event stream: with one stream an admin replaces a viewer, and no caller replaces an admin", () => {
  const live = open(1);
  expect([typeof taking(live, "key:dashboard", false), typeof taking(live, "ada", true)]).toEqual(["object", "object"]);
  expect([taking(live, "key:dashboard", false), live.listeners()]).toEqual([1, 1]);
  live.close();
});

test("event stream: events are counted by name, whether or not any client listens", () => {
  const live = open(8);
  live.announce("revision.applied", { revision: 1 });
  live.announce("revision.applied", { revision: 2 });
  live.announce("daemon.stopping", {});
  expect([...live.announced()]).toEqual([
    ["revision.applied", 2],
    ["daemon.stopping", 1],
  ]);
  live.close();
});
