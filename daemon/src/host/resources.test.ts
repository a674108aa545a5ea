import type { EventName } from "@portcullis/contract/events";
import { expect, test } from "vitest";
import type { FileSystem } from "../system/system.ts";
import { isExhausted, type Measured, type Reading, type ResourceKind, useOf } from "./resources.machine.ts";
import { resourceReader } from "./resources.read.ts";
import { resourceMonitor } from "./resources.ts";

const mib = 1 << 20;
const of = (kind: ResourceKind, total: number, left: number): Measured => ({
  kind,
  folder: kind === "disk" || kind === "inodes" ? "/state" : "",
  total,
  left,
});

test.each([
  ["a small disk with 5 % left", of("disk", 1000 * mib, 50 * mib), true],
  ["a small disk with 6 % left", of("disk", 1000 * mib, 60 * mib), false],
  ["2 TB with 5 % left", of("disk", 2_000_000 * mib, 100_000 * mib), false],
  ["2 TB with 1 GiB left", of("disk", 2_000_000 * mib, 1024 * mib), false],
  ["2 TB with less than 1 GiB left", of("disk", 2_000_000 * mib, 1023 * mib), true],
  ["a disk without space at all", of("disk", 0, 0), true],
  ["few inodes left of few", of("inodes", 10_000, 500), true],
  ["many inodes left of very many", of("inodes", 100_000_000, 20_000), false],
  ["memory", of("memory", 1000 * mib, 50 * mib), true],
  ["much memory left of very much", of("memory", 512_000 * mib, 300 * mib), false],
  ["handles", of("files", 1024, 51), true],
  ["handles of which enough are left", of("files", 524_288, 5000), false],
  ["tracked connections", of("conntrack", 262_144, 13_000), true],
  ["tracked connections of which enough are left", of("conntrack", 4_000_000, 20_000), false],
])("resources: whether %s is nearly exhausted", (_, measured, expected) =>
  expect(isExhausted(measured, false)).toBe(expected),
);

test("resources: what was exhausted recovers when much less is used, or twice as much is left", () => {
  const disk = (left: number, total = 1000) => isExhausted(of("disk", total * mib, left * mib), true);
  expect([disk(60), disk(100), disk(101)]).toEqual([true, true, false]);
  expect([disk(2047, 2_000_000), disk(2048, 2_000_000)]).toEqual([true, false]);
});

test("resources: figures are rounded so that 100 % means that nothing is left", () => {
  expect(useOf(of("disk", 1000 * mib, 1 * mib)).params).toEqual({ used: 99, folder: "/state", mebibytes: 1 });
  expect(useOf(of("files", 1024, 0)).params).toEqual({ used: 100, left: 0 });
});

function monitor(wasExhausted = (_id: string) => false) {
  let readings: readonly Reading[] = [];
  const events: string[] = [];
  const service = resourceMonitor({
    read: () => readings,
    announce: (name: EventName, payload: object) =>
      void events.push(
        [name, (payload as { id: string }).id, (payload as { reason?: string }).reason].filter(Boolean).join(" "),
      ),
    wasExhausted,
  });
  return {
    service,
    events,
    round: (...next: readonly Reading[]) => {
      readings = next;
      service.round();
    },
  };
}
const full = of("disk", 1000 * mib, 10 * mib);
const free = of("disk", 1000 * mib, 500 * mib);

test("resources: one that is exhausted is announced once, with figures, and once when it recovers; others are not", () => {
  const { round, events, service } = monitor();
  const memory = of("memory", 1000 * mib, 900 * mib);
  round(free, memory);
  expect(events).toEqual([]);
  expect(service.component()).toMatchObject({
    status: "ok",
    message:
      "Sufficient: 50 % of the disk of /state is used, 500 MiB are left; 10 % of the memory is used, 900 MiB are left",
  });
  round(full, memory);
  round(full, memory);
  const raised = "resource.exhausted disk:/state 99 % of the disk of /state is used, 10 MiB are left";
  expect(events).toEqual([raised]);
  expect([service.isSufficient("disk:/state"), service.isSufficient("memory")]).toEqual([false, true]);
  expect(service.component()).toMatchObject({
    status: "degraded",
    message: expect.stringMatching(/^Nearly exhausted: 99 % of the disk of \/state is used, 10 MiB are left\. `/),
  });
  round(free, memory);
  expect(events).toEqual([raised, "resource.recovered disk:/state"]);
});

test("resources: what cannot be read is unknown: neither sufficient again, nor exhausted", () => {
  const { round, events, service } = monitor();
  const failed = { kind: "disk", folder: "/state", failure: "EIO: i/o error" } as const;
  round(failed);
  expect(service.component()).toMatchObject({
    status: "degraded",
    message: expect.stringContaining("It is not known how much of disk:/state is used: EIO: i/o error"),
  });
  round(full);
  round(failed);
  expect([events.length, service.isSufficient("disk:/state")]).toEqual([1, false]);
  round(free);
  expect(events.at(-1)).toBe("resource.recovered disk:/state");
});

test("resources: one that does not exist any more has recovered", () => {
  const { round, events, service } = monitor();
  round(of("conntrack", 100, 0));
  expect(service.isSufficient("conntrack")).toBe(false);
  round();
  expect(events.at(-1)).toBe("resource.recovered conntrack");
  expect(service.isSufficient("conntrack")).toBe(true);
});

test("resources: after a restart one that was reported is not announced again, and its end is", () => {
  const { round, events, service } = monitor((id) => id === "disk:/state");
  expect(service.isSufficient("disk:/state")).toBe(false);
  // Too little to be announced for the first time, and too much to have recovered.
  round(of("disk", 1000 * mib, 70 * mib));
  expect([events, service.isSufficient("disk:/state")]).toEqual([[], false]);
  round(free);
  expect(events).toEqual(["resource.recovered disk:/state"]);
});

const meminfo = "MemTotal: 1000 kB\nMemAvailable: 400 kB\n";
const files: Readonly<Record<string, string>> = {
  "/proc/meminfo": meminfo,
  "/proc/self/limits": "Limit  Soft Limit  Hard Limit  Units\nMax open files  1024  524288  files\n",
  "/proc/sys/fs/file-nr": "2080\t0\t10000\n",
  "/proc/self/cgroup": "0::/system.slice/portcullis.service\n",
  "/sys/fs/cgroup/system.slice/portcullis.service/memory.max": "max\n",
  "/sys/fs/cgroup/system.slice/memory.max": "1000\n",
  "/sys/fs/cgroup/system.slice/memory.current": "700\n",
  "/sys/fs/cgroup/system.slice/memory.stat": "anon 1\nfile 300\ninactive_file 150\nactive_file 50\n",
  "/proc/sys/net/netfilter/nf_conntrack_max": "262144\n",
  "/proc/sys/net/netfilter/nf_conntrack_count": "44\n",
};
const fileSystem = (device: number, freeInodes = 5): FileSystem => ({
  device,
  bytes: { used: 30, free: 10 },
  inodes: { used: freeInodes, free: freeInodes },
});

interface Given {
  readonly files?: Readonly<Record<string, string | Error | undefined>>;
  readonly folders?: Readonly<Record<string, FileSystem | Error>>;
  readonly handles?: () => string[];
  readonly withConntrack?: boolean;
}
function reader(given: Given = {}) {
  const folders = given.folders ?? { "/state": fileSystem(1) };
  const orThrow = <T>(value: T | Error): T => {
    if (value instanceof Error) throw value;
    return value;
  };
  return resourceReader({
    system: {
      readText: (path) => orThrow({ ...files, ...given.files }[path]),
      list: given.handles ?? (() => ["0", "1", "2", "3", "4"]),
      fileSystem: (path) => orThrow(folders[path]!),
    },
    folders: Object.keys(folders),
    withConntrack: given.withConntrack ?? true,
  });
}
const coded = (code: string) => Object.assign(new Error(code), { code });
const readOf = (kind: ResourceKind, given?: Given) => reader(given)().filter((it) => it.kind === kind);

test("resources: disk, inodes, memory, handles and tracked connections are read", () => {
  expect(reader()()).toEqual([
    { kind: "disk", folder: "/state", total: 40, left: 10 },
    { kind: "inodes", folder: "/state", total: 10, left: 5 },
    { kind: "memory", folder: "", total: 1_024_000, left: 409_600 },
    { kind: "memory-limit", folder: "", total: 1000, left: 500 },
    { kind: "files", folder: "", total: 1024, left: 1020 },
    { kind: "machine-files", folder: "", total: 10_000, left: 7920 },
    { kind: "conntrack", folder: "", total: 262_144, left: 262_100 },
  ]);
});

test("resources: folders of one file system are one disk; a folder that does not exist is none, but for the first", () => {
  const folders = { "/state": fileSystem(1), "/run": fileSystem(2, 0), "/log": fileSystem(1), "/tmp": coded("ENOENT") };
  const foldersOf = (kind: ResourceKind, given: Given) => readOf(kind, given).map((it) => it.folder);
  expect(foldersOf("disk", { folders })).toEqual(["/state", "/run"]);
  expect(foldersOf("inodes", { folders })).toEqual(["/state"]);
  expect(readOf("disk", { folders: { "/state": coded("ENOENT") } })).toEqual([
    { kind: "disk", folder: "/state", failure: "ENOENT" },
  ]);
});

test("resources: what has no limit is left out, and tracked connections without the dataplane", () => {
  expect(readOf("memory-limit", { files: { "/sys/fs/cgroup/system.slice/memory.max": "max\n" } })).toEqual([]);
  expect(readOf("memory-limit", { files: { "/proc/self/cgroup": "4:memory:/x\n" } })).toEqual([]);
  expect(readOf("files", { files: { "/proc/self/limits": "Max open files  unlimited  unlimited  files\n" } })).toEqual(
    [],
  );
  expect(readOf("conntrack", { files: { "/proc/sys/net/netfilter/nf_conntrack_max": "0\n" } })).toEqual([]);
  expect(readOf("conntrack", { files: { "/proc/sys/net/netfilter/nf_conntrack_max": undefined } })).toEqual([]);
  expect(readOf("conntrack", { withConntrack: false })).toEqual([]);
});

test.each(["memory", "machine-files", "memory-limit", "files"] as const)(
  "resources: %s that cannot be read or is not understood is a failure, and no number",
  (kind) => {
    const path = {
      memory: "/proc/meminfo",
      "machine-files": "/proc/sys/fs/file-nr",
      "memory-limit": "/sys/fs/cgroup/system.slice/memory.stat",
      files: "/proc/self/limits",
    }[kind];
    for (const text of [coded("EACCES"), "unexpected", undefined])
      expect(readOf(kind, { files: { [path]: text } })).toEqual([{ kind, folder: "", failure: expect.any(String) }]);
    expect(readOf(kind)).not.toHaveProperty("0.failure");
  },
);

test("resources: a daemon that can open no file has no handle left", () => {
  let handles = () => ["0", "1"];
  const read = reader({ handles: () => handles() });
  expect(read()).toContainEqual({ kind: "files", folder: "", total: 1024, left: 1023 });
  handles = () => {
    throw coded("EMFILE");
  };
  expect(read()).toContainEqual({ kind: "files", folder: "", total: 1024, left: 0 });
});
