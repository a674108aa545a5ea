import { expect, test } from "vitest";
import { bootMb, partitionTable, rootStartMb, sizesFor } from "./layout.ts";

test("image: the disk has room for both partitions and the copy of their table, and the root file system for an upgrade", () => {
  const { diskMb, rootMb } = sizesFor(700, undefined);
  expect(rootMb).toBeGreaterThanOrEqual(700 + 256);
  expect(diskMb).toBe(rootStartMb + rootMb + 1);
  expect(sizesFor(700, 4096)).toEqual({ diskMb: 4096, rootMb: 4096 - rootStartMb - 1 });
  expect(() => sizesFor(700, diskMb - 1)).toThrow(`--size must be at least ${diskMb}`);
});

test("image: partitions begin where the disk is written, and do not overlap", () => {
  const found = [...partitionTable(1000).matchAll(/start=(\d+), size=(\d+)/g)].map(([, start, size]) => [
    Number(start),
    Number(size),
  ]);
  expect(found).toEqual([
    [2048, bootMb * 2048],
    [rootStartMb * 2048, 1000 * 2048],
  ]);
  expect(2048 + bootMb * 2048).toBe(rootStartMb * 2048);
});
