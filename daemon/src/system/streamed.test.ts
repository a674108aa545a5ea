import { expect, test } from "vitest";
import { heapAfterCollection } from "../../../testing/memory.ts";
import { runStreamed, startStreamed } from "./streamed.ts";

const mebibyte = 1 << 20;

function bufferBytes(): number {
  heapAfterCollection();
  return process.memoryUsage().arrayBuffers;
}

test("of a program with much output the beginning is kept, and the rest takes no memory", async () => {
  const program = startStreamed("head", ["-c", String(64 * mebibyte), "/dev/zero"], { mark: "TEST=1" });
  const before = bufferBytes();
  let [received, taken] = [0, 0];
  async function* output(): AsyncGenerator<Buffer> {
    for await (const chunk of program.output) {
      received += chunk.length;
      yield chunk;
    }
    taken = bufferBytes() - before;
  }
  const run = await runStreamed({ ...program, output: output() }, { limitMs: 60_000, keptBytes: 1000 });
  expect(run).toMatchObject({ code: 0, isLate: false, output: "\0".repeat(1000) });
  expect(received).toBe(64 * mebibyte);
  expect(taken).toBeLessThan(4 * mebibyte);
});
