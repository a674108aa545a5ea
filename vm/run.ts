import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Fault, faults } from "./faults.ts";
import { configurationFile, enable, install, configure, addTestServices } from "./gateway.ts";
import { type Image, machineImage } from "./image.ts";
import { despiteTheEmulator, type Machine, switchOn } from "./machine.ts";
import { complaints, machineFaults, probeNames, type Row, rowOf, type Span } from "./rows.ts";

/*
 * `npm run test:vm`: faults that only a machine with a service manager can have. A gateway is installed on an emulated
 * machine with systemd and switched on; a device behind it sends without pause, from before the guard is loaded until the
 * power is off, and whatever is seen of it outside is counted. Then everything is done once more to a gateway without guard
 * and policies, where each probe must be seen: otherwise the silence before proved nothing.
 */

/** With the tunnel up, each probe is answered this often before anything else is done. */
const answersEnough = 3;
const readySec = 240;
/** So long one is looked at that cannot become ready. */
const afterwardsMs = 2000;

if (!existsSync("dist/portcullisd.mjs")) throw new Error("There is no built daemon in dist: `npm run build` makes it");
if (process.getuid?.() !== 0) throw new Error("Only root can build and boot the machine");
refuseMissingPrograms();
const started = performance.now();
const image = machineImage();
log("the image is there");
const folder = mkdtempSync(join(tmpdir(), "portcullis-vm-test-"));
// Also when this process gets a signal.
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Building the image takes a minute, and would fail at the end of it. */
function refuseMissingPrograms(): void {
  const packages = {
    mmdebstrap: "mmdebstrap",
    depmod: "kmod",
    zstd: "zstd",
    xz: "xz-utils",
    "qemu-system-x86_64": "qemu-system-x86",
  };
  const folders = (process.env["PATH"] ?? "").split(":");
  const missing = Object.entries(packages).filter(([name]) => !folders.some((it) => existsSync(join(it, name))));
  if (missing.length > 0)
    throw new Error(`Programs are not installed: \`apt install ${missing.map(([, name]) => name).join(" ")}\``);
}

function log(what: string): void {
  console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${what}`);
}

type On = () => Promise<Machine>;
type Ready = (machine: Machine) => Promise<unknown>;

async function allRows(from: Image, root: string): Promise<readonly Row[]> {
  execFileSync("cp", ["--archive", "--reflink=auto", from.root, root]);
  install(root);
  addTestServices(root);
  await configure(root);
  enable(root, { "sysinit.target": ["portcullis-guard.service"], "multi-user.target": ["portcullis.service"] });
  const on: On = () => switchOn({ root, kernel: from.kernel });
  const retried = <T>(day: () => Promise<T>): Promise<T> => despiteTheEmulator(root, day);
  log("the gateway is installed");

  const first = await retried(() => severalFaults(on, untilForwarding, /it does not exist/));
  const alone = besideAnotherFirewall(root);
  const second = await retried(() => bootAndReboot(on, untilForwarding, /the saved guard is loaded/));
  alone();
  const mend = spoilFiles(root);
  const unreadable = await retried(() => justBoot(on, hasAddresses, /its checksum is wrong/));
  mend();
  enable(root, { "sysinit.target": ["full-disk.service"] });
  const full = await retried(() => justBoot(on, hasAddresses, /the saved guard is loaded/));
  rmSync(join(root, "etc/systemd/system/sysinit.target.wants/full-disk.service"));
  disableGuard(root);
  const open = await retried(() => severalFaults(on, hasAddresses, /^$/));

  const cold = (how: string, cites: readonly string[], evidence: string) => ({
    number: 1,
    name: `cold boot before the daemon, ${how}`,
    cites,
    evidence,
  });
  return [
    rowOf(cold("no guard saved yet", ["T-boot-1", "T-boot-4"], first.evidence), first.boot, open.boot),
    rowOf(
      cold("beside a firewall that flushes everything", ["T-boot-1", "T-boot-3"], second.evidence),
      second.boot,
      open.boot,
    ),
    ...faults.map((it) =>
      rowOf({ ...it, evidence: first.struck.get(it)!.evidence }, first.struck.get(it)!, open.struck.get(it)!),
    ),
    rowOf({ ...shutdown, evidence: lastedFor(second.off) }, second.off, open.off),
    rowOf({ ...nothingReadable, evidence: unreadable.evidence }, unreadable.boot, open.boot),
    rowOf({ ...diskFull, evidence: full.evidence }, full.boot, open.boot),
  ].toSorted((a, b) => a.fault - b.fault);
}

const shutdown = {
  number: 6,
  name: "shutdown of a gateway that works, for a reboot, until the power is off",
  cites: ["T-stopping-4"],
};
const nothingReadable = {
  number: 32,
  name: "configuration and saved guard unreadable at boot",
  cites: ["T-boot-1", "T-boot-4"],
};
const diskFull = { number: 32, name: "disk full at boot", cites: ["T-boot-1", "T-boot-3", "T-degraded-8"] };
const lastedFor = ({ from, to }: Span) =>
  `answered until then; ${(to.uptime - (from?.uptime ?? 0)).toFixed(1)} s until the power was off`;

interface Boot {
  /** From power-on until the gateway was ready. */
  readonly boot: Span;
  /** The output of the guard's unit. */
  readonly evidence: string;
}

interface FaultRun extends Boot {
  readonly struck: ReadonlyMap<Fault, Span & { readonly evidence: string }>;
  readonly off: Span;
}

/** From power-on over all faults that need no boot to a reboot. `isReady` resolves when the gateway works. */
async function severalFaults(on: On, isReady: Ready, expected: RegExp): Promise<FaultRun> {
  await using machine = await on();
  const { boot, evidence } = await booted(machine, isReady, expected);
  const struck = new Map<Fault, Span & { evidence: string }>();
  for (const fault of faults) {
    const from = await machine.count();
    const seen = await fault.strike(machine);
    if (fault.heals) await isReady(machine);
    struck.set(fault, { from, to: await machine.count(), evidence: seen });
    log(`fault ${fault.number}: ${seen}`);
  }
  return { boot, evidence, struck, off: await rebooted(machine) };
}

async function rebooted(machine: Machine): Promise<Span> {
  return { from: await machine.count(), to: await machine.switchedOff("systemctl reboot") };
}

async function bootAndReboot(on: On, isReady: Ready, expected: RegExp): Promise<Boot & { readonly off: Span }> {
  await using machine = await on();
  const { boot, evidence } = await booted(machine, isReady, expected);
  const other = await machine.run("systemctl is-active nftables; nft list tables");
  if (!/^active\n[^]*inet filter/.test(other)) throw new Error(`The other firewall was not there: ${other}`);
  await isReady(machine); // It is answered until the very end.
  return { boot, evidence: `${evidence}; another firewall had flushed all rules before`, off: await rebooted(machine) };
}

async function justBoot(on: On, isReady: Ready, expected: RegExp): Promise<Boot> {
  await using machine = await on();
  return await booted(machine, isReady, expected);
}

/** `expected` is the output of the guard's unit: a boot with another guard than the intended one proves nothing. */
async function booted(machine: Machine, isReady: Ready, expected: RegExp): Promise<Boot> {
  await isReady(machine);
  const journal = await machine.run("journalctl -q -o cat -u portcullis-guard -t portcullis-guard | head -1");
  const evidence = journal.trim();
  if (!expected.test(evidence))
    throw new Error(`The guard's unit printed something else than ${expected}: ${evidence}`);
  const to = await machine.count();
  log(`booted after ${to.uptime.toFixed(1)} s: ${evidence || "without guard"}`);
  return { boot: { from: undefined, to }, evidence };
}

/** The device is answered through its tunnel again, each probe of it. */
async function untilForwarding(machine: Machine): Promise<void> {
  // Port 8080 as the kernel spells it: the API listens.
  const { status } = await machine.attempt(
    "until grep -q ':1F90 00000000:0000 0A' /proc/net/tcp; do sleep 0.2; done",
    readySec,
  );
  if (status !== 0) throw new Error(`The API does not listen\n${await diagnostics(machine)}`);
  const from = await machine.count();
  for (const end = performance.now() + readySec * 1000; ; await wait(200)) {
    const { answered } = await machine.count();
    if (probeNames.every((probe) => answered[probe]! - from.answered[probe]! >= answersEnough)) return;
    if (performance.now() > end) {
      throw new Error(`The tunnel does not forward: ${JSON.stringify(answered)}\n${await diagnostics(machine)}`);
    }
  }
}

/** What helps to find out why a gateway is not ready. */
async function diagnostics(machine: Machine): Promise<string> {
  const commands =
    "systemctl status --no-pager portcullis; wg show; ip rule; journalctl -q -o cat -u portcullis | tail -30";
  return (await machine.attempt(commands)).output;
}

/** The condition for a gateway without guard, and for one that cannot become ready: its daemon has ended and is started again. */
async function hasAddresses(machine: Machine): Promise<void> {
  const started = "systemctl is-active -q portcullis || [ $(systemctl show -P NRestarts portcullis) -gt 0 ]";
  await machine.run(`until systemctl is-active -q network && { ${started}; }; do sleep 0.2; done`, 240);
  await wait(afterwardsMs);
}

/**
 * The firewall that the distribution brings: it flushes all rules when it starts and when it stops. It waits a while for a
 * guard that it could flush. Its owner wants the machine to forward from the beginning. Answers how it is undone.
 */
function besideAnotherFirewall(root: string): () => void {
  const [slow, forwarding, link] = [
    "etc/systemd/system/nftables.service.d/slow.conf",
    "etc/sysctl.d/99-forward.conf",
    "etc/systemd/system/sysinit.target.wants/nftables.service",
  ].map((it) => join(root, it)) as [string, string, string];
  mkdirSync(dirname(slow), { recursive: true });
  const guardStands = "nft list table inet portcullis_guard >/dev/null 2>&1";
  const waits = `for i in $(seq 40); do ${guardStands} && exit; sleep 0.1; done; true`;
  writeFileSync(slow, `[Service]\nExecStartPre=/bin/sh -c '${waits}'\n`);
  writeFileSync(forwarding, "net.ipv4.ip_forward=1\nnet.ipv6.conf.all.forwarding=1\n");
  enable(root, { "sysinit.target": ["nftables.service"] });
  return () => {
    for (const file of [slow, forwarding, link]) rmSync(file);
  };
}

/** What was written there, as a disk gives it back that forgets. Answers how it is undone. */
function spoilFiles(root: string): () => void {
  const spoilt = [configurationFile, "var/lib/portcullis/guard.nft"].map((it) => join(root, it));
  const whole = spoilt.map((it) => readFileSync(it));
  for (const [index, file] of spoilt.entries()) writeFileSync(file, Buffer.from(whole[index]!).fill(0, 40));
  return () => {
    for (const [index, file] of spoilt.entries()) writeFileSync(file, whole[index]!);
  };
}

/** A guard unit that does nothing, and no protected device. */
function disableGuard(root: string): void {
  rmSync(join(root, "var/lib/portcullis"), { recursive: true });
  const folder = join(root, "etc/systemd/system/portcullis-guard.service.d");
  mkdirSync(folder);
  writeFileSync(join(folder, "no-guard.conf"), "[Service]\nExecStart=\nExecStart=/bin/true\n");
  // A daemon that drives the kernel would load the guard while it starts.
  const file = join(root, configurationFile);
  const configured = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...configured, dataplane: { enabled: false } }));
}

function report(rows: readonly Row[]): void {
  const results = process.env["LEAK_RESULTS"] ?? join(tmpdir(), "portcullis-leaks");
  mkdirSync(results, { recursive: true });
  writeFileSync(join(results, "vm.json"), `${JSON.stringify(rows, undefined, 2)}\n`);
  const missing = machineFaults.filter((number) => !rows.some(({ fault }) => fault === number));
  const wrong = [...rows.flatMap(complaints), ...missing.map((number) => `fault ${number} was not done`)];
  for (const { fault, name, cells, seconds } of rows) {
    const sum = (what: "sent" | "leaked" | "control") => cells.reduce((all, cell) => all + cell[what], 0);
    const figures = `${sum("sent")} sent, ${sum("leaked")} leaked, ${sum("control")} in the control`;
    console.log(`fault ${String(fault).padStart(2)}  ${figures}, ${seconds} s: ${name}`);
  }
  for (const sentence of wrong) console.log(`WRONG  ${sentence}`);
  log(
    `${rows.length} rows in ${join(results, "vm.json")}, ${wrong.length === 0 ? "all of them stand" : "not all stand"}`,
  );
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

// Last, when everything above has its meaning.
report(await allRows(image, join(folder, "root")));
