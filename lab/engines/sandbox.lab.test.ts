import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { because } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { sandboxed } from "../../daemon/src/engines/sandbox/sandbox.model.ts";
import { type Architecture, denied } from "../../daemon/src/engines/sandbox/syscalls.model.ts";
import { supervisor } from "../../daemon/src/engines/supervisor/supervisor.ts";
import { linux } from "../../daemon/src/system/system.ts";
import { until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { launchedIn } from "../launched.ts";
import { openLab } from "../namespaces.ts";

/*
 * The sandbox of the engines, by the command line that the product uses, and the same program outside of it as the control.
 */

const userId = 1_900_064_999;
const numbers = denied[process.arch as Architecture];

/** Prints the result of each system call, and what it sees; then waits to be ended. */
const curious = `
$| = 1;
my %calls = (${Object.entries(numbers)
  .map(([name, number]) => `${name} => ${number}`)
  .join(", ")});
print "env ", join(",", sort keys %ENV), "\\n";
print "table ", system("unshare --user --map-root-user --net nft add table inet lab 2>/dev/null"), "\\n";
for my $name (grep { !$ENV{ONLY} || $ENV{ONLY} =~ /\\b$_\\b/ } sort keys %calls) {
  my @args = $name eq "unshare" ? (0x50000000) : $name eq "keyctl" ? (0, -3, 0) : $name eq "personality" ? (0xffffffff) : (0, 0, 0, 0, 0, 0);
  $! = 0;
  my $answer = syscall($calls{$name}, @args);
  print "call $name ", $answer == -1 ? $! + 0 : 0, "\\n";
}
use Socket;
for ([16, 3, 12], [17, 3, 768], [2, 3, 1], [38, 5, 0], [16, 3, 0], [2, 1, 0], [10, 2, 0], [1, 1, 0]) {
  $! = 0;
  print "socket @$_ ", socket(my $s, $_->[0], $_->[1], $_->[2]) ? 0 : $! + 0, "\\n";
}
print "root ", join(",", sort map { s{^/}{}r } glob("/*")), "\\n";
print "done\\n";
sleep 600;
`;

const boxed = (...args: readonly string[]) => sandboxed({ command: "perl", args, userId, shown: {}, port: 5353 });

test("sandbox: no namespaces, no nf_tables, no raw sockets, no environment, and no call that no engine needs", async () => {
  await using lab = openLab();
  const host = await lab.host("gw");
  const box = boxed("-e", curious);
  using inside = await launchedIn(host, [box.command, ...box.args], box.files);
  const lines = await inside.lines();
  const answers = new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), line.slice(line.lastIndexOf(" ") + 1)]),
  );
  expect(lines[0]).toBe("env PATH,PWD");
  expect(Object.keys(numbers).filter((name) => answers.get(`call ${name}`) !== "1")).toEqual([]);
  expect(["16 3 12", "17 3 768", "2 3 1", "38 5 0"].map((it) => answers.get(`socket ${it}`))).toEqual([
    "1",
    "97",
    "1",
    "97",
  ]);
  expect(["16 3 0", "2 1 0", "10 2 0", "1 1 0"].map((it) => answers.get(`socket ${it}`))).toEqual(Array(4).fill("0"));
  expect(answers.get("table")).not.toBe("0");
  expect(answers.get("root")).toBe("bin,dev,etc,lib,lib64,sbin,tmp,usr");
  const [engine] = await host.processesOf(userId);
  const namespace = (of: string, kind: string) => readlinkSync(`/proc/${of}/ns/${kind}`);
  const shared = ["pid", "mnt"].filter((kind) => namespace(engine!, kind) === namespace("self", kind));
  expect(shared).toEqual([]);
  const status = readFileSync(`/proc/${engine}/status`, "utf8");
  expect(status).toMatch(/^Seccomp:\s2$/m);
  expect(status).toMatch(/^NoNewPrivs:\s1$/m);
  expect(status).toMatch(/^CapEff:\s0+$/m);
  expect(readFileSync(`/proc/${engine}/stat`, "utf8")).toMatch(/^\d+ \(perl\) \S \d+ \d+ \d+ 0 /); // No terminal.
});

test("sandbox, control: the same user without it gets namespaces, tables, keys and the environment", async () => {
  await using lab = openLab();
  const host = await lab.host("gw");
  const only = "ONLY=keyctl ptrace personality name_to_handle_at unshare";
  const bare = ["env", only, "setpriv", "--reuid", String(userId), "--regid", String(userId), "--clear-groups"];
  using outside = await launchedIn(host, [...bare, "--bounding-set", "-all", "perl", "-e", curious], []);
  const lines = await outside.lines();
  expect(lines[0]).toContain("LAB_SECRET");
  for (const name of ["keyctl", "ptrace", "personality", "unshare"]) expect(lines).toContain(`call ${name} 0`);
  expect(lines).not.toContain("call name_to_handle_at 1");
  expect(lines).toContain("socket 16 3 12 0");
  expect(lines).toContain("table 0");
});

test.each(["the process that is watched", "the engine itself"])(
  "sandbox: SIGKILL to %s leaves nothing behind",
  async (victim) => {
    await using lab = openLab();
    const host = await lab.host("gw");
    // Labs that run beside this one mount namespaces and folders of their own meanwhile.
    const isOfLabs = (line: string) => /\/netns\/|\/portcullis-test-/.test(line);
    const mounts = () =>
      readFileSync("/proc/self/mounts", "utf8")
        .split("\n")
        .filter((line) => !isOfLabs(line)).length;
    const before = mounts();
    const box = boxed("-e", '$| = 1; fork(); print "done\n"; sleep 600;');
    using running = await launchedIn(host, [box.command, ...box.args], box.files);
    await running.lines();
    await until("both processes run", async () => (await host.processesOf(userId)).length === 2);
    const [engine] = await host.processesOf(userId);
    linux.signal(victim === "the engine itself" ? Number(engine) : running.processId, "SIGKILL");
    await until(
      "all processes are gone",
      async () => (await host.processesOf(userId)).length === 0 && running.isOver(),
    );
    expect(execFileSync("ip", ["netns", "pids", host.namespace], { encoding: "utf8" })).toBe("");
    expect(mounts()).toBeLessThanOrEqual(before);
  },
);

test("sandbox: a program that is not there is named", async () => {
  using folder = temporaryFolder();
  const kept = supervisor({ system: linux, folder: folder.path, nowMs: () => performance.now(), onExit: () => {} });
  const child = {
    name: "lab.1",
    ...sandboxed({ command: "not-there", args: [], userId, shown: {}, port: 5353 }),
    stdin: "",
  };
  await kept.apply(kept.changes([child], []));
  await until("its end is noticed", async () => kept.find("lab.1")?.condition.kind !== "running");
  expect(kept.find("lab.1")?.reason).toEqual(because("program_missing", { program: "not-there" }));
  await kept.end("lab.1");
  kept.close();
});

test("sandbox: what it costs to start a program in it", async () => {
  const box = boxed("-e", "1");
  const times = await Promise.all([duration([box.command, ...box.args], box.files), duration(["perl", "-e", "1"], [])]);
  const [inside, outside] = times as [number, number];
  recordFigure({ name: "start of a sandboxed program, more than of a bare one", value: inside - outside, unit: "s" });
  expect(inside).toBeGreaterThan(0);
});

/** The median of several starts, from the call to the end of the program. */
async function duration(words: readonly string[], files: readonly Uint8Array[]): Promise<number> {
  using folder = temporaryFolder();
  const times: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    const began = performance.now();
    await new Promise<void>((ended) => {
      linux.launch(words[0]!, words.slice(1), {
        stdin: "",
        files,
        output: join(folder.path, "output"),
        onExit: () => ended(),
      });
    });
    times.push((performance.now() - began) / 1000);
  }
  return times.toSorted((a, b) => a - b)[4]!;
}
