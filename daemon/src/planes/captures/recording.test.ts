import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { renderPcapStart } from "../../engines/tcpdump/pcap.render.ts";
import type { Streamed } from "../../system/streamed.ts";
import { unnamedFile } from "../../system/unnamed-file.ts";
import { readPcapng, readSummaries } from "./packets.ts";
import { recordPackets } from "./recording.ts";
import { matcherOf, sendersOf } from "./unlogged.ts";

const nowMs = 1_700_000_000_000;

/** A ping from a device with this number in its MAC address. */
function packet(sender: number, atMs = nowMs - 1000, bytes = 60): Buffer {
  const record = Buffer.alloc(16 + bytes);
  for (const [place, value] of [Math.floor(atMs / 1000), 0, bytes, bytes].entries())
    record.writeUInt32LE(value, place * 4);
  record.writeUIntBE(0x0200_0000_0000 + sender, 16 + 6, 6);
  record.write("0800450000", 16 + 12, "hex");
  return record;
}

/** tcpdump in front of a network that the test plays. */
function tcpdump() {
  const sent: Buffer[] = [renderPcapStart({ linkType: 1, snapLength: 262_144 })];
  let wake = () => {};
  let isOver = false;
  let complaint = "tcpdump: listening on lan0\n3 packets captured\n2 packets dropped by kernel";
  const over = Promise.withResolvers<{ code: number; complaint: string }>();
  async function* output(): AsyncGenerator<Buffer> {
    for (;;) {
      const next = sent.shift();
      if (next) yield next;
      else if (isOver) return over.resolve({ code: 0, complaint });
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  const end = (last?: string) => {
    complaint = last ?? complaint;
    isOver = true;
    wake();
  };
  const program: Streamed = { output: output(), ended: over.promise, end: () => end() };
  return {
    program,
    end,
    send: (...packets: readonly Buffer[]) => {
      sent.push(Buffer.concat(packets));
      wake();
    },
  };
}

async function recorded({ count = 100, maxBytes = 1 << 20, unlogged = [] as number[] } = {}) {
  const folder = temporaryFolder();
  const file = await unnamedFile(folder.path);
  const source = tcpdump();
  const macs = unlogged.map((it) => `02:00:00:00:00:${String(it).padStart(2, "0")}`);
  const recording = await recordPackets({
    request: { count, durationSec: 60 },
    maxBytes,
    program: source.program,
    file,
    withheld: () => (macs.length > 0 ? matcherOf(sendersOf(macs.map((mac) => ({ mac, ips: [] })))) : undefined),
    nowMs: () => nowMs,
  });
  return {
    ...source,
    recording,
    source: { recorded: recording, file },
    ended: async () => {
      while (!recording.state().end) await recording.changed(recording.state().packets, 10_000);
    },
    [Symbol.asyncDispose]: async () => {
      await recording.abort();
      await file.close();
      folder[Symbol.dispose]();
    },
  };
}

test("a capture ends with exactly the packets of its count", async () => {
  await using it = await recorded({ count: 3 });
  it.send(packet(1), packet(2));
  it.send(packet(3), packet(4), packet(5));
  await it.ended();
  expect(it.recording.state()).toMatchObject({ packets: 3, dropped: 2, end: { reason: "count", failure: null } });
});

test("a capture ends before its file exceeds the limit by more than one packet", async () => {
  await using it = await recorded({ maxBytes: 500 });
  it.send(...Array.from({ length: 20 }, (_, sender) => packet(sender)));
  await it.ended();
  expect(it.recording.state()).toMatchObject({ packets: 7, bytes: 7 * 76, end: { reason: "size" } });
});

test("packets that arrive after the stop are not recorded, those that the kernel still had are", async () => {
  await using it = await recorded();
  const stopped = it.recording.stop();
  it.send(packet(1, nowMs - 500), packet(2, nowMs + 2000));
  await stopped;
  expect(it.recording.state()).toMatchObject({ packets: 1, end: { reason: "stopped" } });
});

test("packets of devices with the log level none are counted and not in the file", async () => {
  await using it = await recorded({ unlogged: [2] });
  it.send(packet(1), packet(2), packet(3));
  it.send(packet(2));
  await it.recording.stop();
  expect(it.recording.state()).toMatchObject({ packets: 2, withheld: 2 });
  const chunks: Buffer[] = [];
  for await (const chunk of readPcapng(it.source, "lan0", "")) chunks.push(chunk);
  const file = Buffer.concat(chunks);
  expect(file.includes(Buffer.from("020000000002", "hex"))).toBe(false);
  expect(file.includes(Buffer.from("020000000003", "hex"))).toBe(true);
});

test("summaries are those after a number, also of packets that are too large to be read as a whole", async () => {
  await using it = await recorded();
  it.send(...[1, 2, 3, 4].map((sender) => packet(sender, nowMs - 1000, 200_000)));
  await it.recording.changed(3, 10_000);
  const seen = await readSummaries(it.source, 1, 2);
  expect(seen.map(({ number, length, info }) => [number, length, info])).toEqual([
    [2, 200_000, ""],
    [3, 200_000, ""],
  ]);
});

test("a tcpdump that ends by itself is a failure with its message", async () => {
  await using it = await recorded();
  it.end("tcpdump: listening on lan0\ntcpdump: pcap_loop: The interface disappeared\n0 packets captured");
  await it.recording.changed(0, 10_000);
  expect(it.recording.state().end).toMatchObject({
    reason: "failed",
    failure: "pcap_loop: The interface disappeared",
  });
});

test("a reader that waits learns of packets and of the end, and of neither after its time", async () => {
  await using it = await recorded();
  expect(await it.recording.changed(0, 1)).toBe(false);
  const waiting = it.recording.changed(0, 60_000);
  it.send(packet(1));
  expect(await waiting).toBe(true);
  const end = it.recording.changed(1, 60_000);
  await it.recording.stop();
  expect(await end).toBe(true);
});

test("devices without a MAC address are recognized by their addresses", () => {
  const matches = matcherOf(sendersOf([{ mac: null, ips: ["10.0.0.9"] }]));
  const from = (last: string) =>
    Buffer.from(`02000000000102000000000208004500001400000000400000000a0000${last}cb007105`, "hex");
  expect(matches(from("09"), 1)).toBe(true);
  expect(matches(from("08"), 1)).toBe(false);
});
