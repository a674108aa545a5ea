import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

/** A machine that is switched on. It has no network card: nothing can leave it. */
export interface Machine {
  /** Runs a shell command on it to its end; anything but success is a failure. */
  run(command: string, seconds?: number): Promise<string>;
  /** The same, whatever it ends with. */
  attempt(command: string, seconds?: number): Promise<{ readonly status: number; readonly output: string }>;
  /** What was counted until this moment. */
  count(): Promise<Count>;
  /** Once it has switched itself off: the last that was counted. */
  switchedOff(command: string): Promise<Count>;
  /** What it wrote to its console. */
  console(): string;
  [Symbol.asyncDispose](): Promise<void>;
}

type Counted = Readonly<Record<string, number>>;

/** Since it was switched on, by name of the probe. */
export interface Count {
  readonly requestId: number | null;
  /** Seconds since it was switched on. */
  readonly uptime: number;
  /** Packets of any kind outside. */
  readonly seen: number;
  readonly sent: Counted;
  /** Seen outside, in the clear. */
  readonly leaked: Counted;
  /** Answers at the device. */
  readonly answered: Counted;
  /** What else was outside and should not have been, in words. */
  readonly strange: Counted;
}

interface Options {
  readonly root: string;
  readonly kernel: string;
  /** More for the kernel's command line. */
  readonly words?: readonly string[];
}

const memoryMb = 1024;
/** Enough for an emulated processor that is shared with others. */
const [bootSec, defaultSec] = [300, 180];
const ports = ["agent", "monitor"] as const;

/**
 * Linux rewrites its own code while it runs, whenever a hook gets its first user for instance, and leaves a breakpoint there meanwhile.
 * Now and then one of two emulated processors runs into one that is no longer there, and its kernel is dead: what was begun with
 * that machine begins again, with its disk as it was. A kernel that dies of anything else is a failure.
 */
export async function despiteTheEmulator<T>(root: string, work: () => Promise<T>): Promise<T> {
  const before = `${root}-before`;
  for (let tries = 1; ; tries++) {
    execFileSync("cp", ["--archive", "--reflink=auto", root, before]);
    try {
      return await work();
    } catch (error) {
      const hasCrashed = (error as Error).message.includes("Oops: int3");
      if (!hasCrashed || tries === maxTries) throw error;
      console.log("the emulated kernel died over its own breakpoint; its day begins again");
      rmSync(root, { recursive: true });
      renameSync(before, root);
    } finally {
      rmSync(before, { recursive: true, force: true });
    }
  }
}
const maxTries = 3;

/** Resolves once it counts packets and takes orders, which is before most of its services have started. */
export async function switchOn(options: Options): Promise<Machine> {
  const folder = mkdtempSync(join(options.root, "../machine-"));
  const children: ChildProcess[] = [];
  const dispose = async () => {
    for (const child of children.toReversed()) await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const files = start(children, virtiofsd(), `--socket-path=${folder}/root`, ...sharing(options.root));
    const socketThere = until(() => existsSync(join(folder, "root")), 10);
    await Promise.race([socketThere, mustNotEnd(files, "virtiofsd, which lends the machine its files,")]);
    const computer = start(children, "qemu-system-x86_64", ...computerWords(options, folder));
    const ended = once(computer.child, "exit");
    const [agent, monitor] = await Promise.race([
      Promise.all(ports.map((name) => openPort(join(folder, name)))) as Promise<[Port, Port]>,
      mustNotEnd(computer, "qemu"),
    ]);
    const inTime = async <T>(work: Promise<T>, seconds: number, what: string): Promise<T> => {
      const late = new AbortController();
      const tooLate = wait(seconds * 1000, undefined, { signal: late.signal }).then(() => {
        throw new Error(`${what}: nothing after ${seconds} s\n${computer.output()}`);
      });
      const gone = ended.then(() => {
        throw new Error(`${what}: the machine is off\n${computer.output()}`);
      });
      return Promise.race([work, tooLate, gone]).finally(() => late.abort());
    };
    await inTime(Promise.all([monitor.isReady, agent.isReady]), bootSec, "The start of the machine");
    const attempt: Machine["attempt"] = async (command, seconds = defaultSec) =>
      inTime(agent.request({ command, seconds }), seconds + 30, command) as ReturnType<Machine["attempt"]>;
    let requestId = 0;
    return {
      attempt,
      run: async (command, seconds) => {
        const { status, output } = await attempt(command, seconds);
        if (status !== 0) throw new Error(`${command}: ended with ${status}\n${output}`);
        return output;
      },
      count: () => inTime(monitor.request((requestId += 1)), defaultSec, "The count") as Promise<Count>,
      switchedOff: async (command) => {
        agent.send({ command, seconds: defaultSec });
        await Promise.race([
          ended,
          wait(defaultSec * 1000, undefined, { ref: false }).then(() => {
            throw new Error(`${command}: still on after ${defaultSec} s\n${computer.output()}`);
          }),
        ]);
        await monitor.isClosed;
        return monitor.last() as Count;
      },
      console: computer.output,
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** The one of Debian 12 belongs to qemu; later ones are a program of their own with other options. */
const virtiofsd = (): string => {
  const found = ["/usr/lib/qemu/virtiofsd", "/usr/libexec/virtiofsd"].find((it) => existsSync(it));
  if (!found) throw new Error("virtiofsd is not installed; it is in qemu-system-common, or in a package of its name");
  return found;
};

const sharing = (root: string): readonly string[] =>
  virtiofsd().startsWith("/usr/lib/qemu")
    ? ["-o", `source=${root}`, "-o", "sandbox=chroot", "-o", "cache=always", "-o", "log_level=err"]
    : [`--shared-dir=${root}`, "--sandbox=chroot", "--cache=always", "--log-level=error"];

/** What the kernel need not do on a machine that lives for a minute. */
const kernelWords = [
  "console=hvc0 quiet loglevel=4 panic=-1 root=root rootfstype=virtiofs rw init=/usr/lib/systemd/systemd",
  "nokaslr mitigations=off random.trust_cpu=on audit=0 nowatchdog cryptomgr.notests lsm=capability",
  "tsc=reliable no_timer_check rcupdate.rcu_expedited=1 systemd.show_status=error systemd.log_target=console",
];

function computerWords({ kernel, words = [] }: Options, folder: string): readonly string[] {
  return [
    "-nodefaults",
    "-no-user-config",
    "-display",
    "none",
    "-no-reboot",
    "-nic",
    "none",
    "-machine",
    "q35",
    ...processor(),
    "-m",
    `${memoryMb}`,
    "-object",
    `memory-backend-memfd,id=memory,size=${memoryMb}M,share=on`,
    "-numa",
    "node,memdev=memory",
    "-device",
    "virtio-rng-pci",
    "-kernel",
    kernel,
    "-append",
    [...kernelWords, ...words].join(" "),
    "-chardev",
    `socket,id=root,path=${folder}/root`,
    "-device",
    "vhost-user-fs-pci,chardev=root,tag=root",
    "-device",
    "virtio-serial-pci",
    "-chardev",
    "stdio,id=console,signal=off",
    "-device",
    "virtconsole,chardev=console",
    ...ports.flatMap((name) => [
      "-chardev",
      `socket,id=${name},path=${folder}/${name},server=on,wait=off`,
      "-device",
      `virtserialport,chardev=${name},name=${name}`,
    ]),
  ];
}

/** /dev/kvm alone proves nothing: it may want a kernel that was made for it. */
export function processor(count = 2): readonly string[] {
  const isReal = /^flags.* (vmx|svm)\b/m.test(readFileSync("/proc/cpuinfo", "utf8")) && existsSync("/dev/kvm");
  return isReal
    ? ["-accel", "kvm", "-cpu", "host", "-smp", `${count}`]
    : ["-accel", "tcg,thread=multi,tb-size=512", "-cpu", "max,-la57", "-smp", `${count}`];
}

/** Should this process be ended meanwhile, they end with it. */
const alive = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

export interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
}

export function start(children: ChildProcess[], program: string, ...words: readonly string[]): Started {
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  alive.add(child);
  child.once("exit", () => alive.delete(child));
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output = (output + chunk.toString()).slice(-200_000)));
  child.on("error", (error) => (output += error.message));
  return { child, output: () => output };
}

async function mustNotEnd({ child, output }: Started, what: string): Promise<never> {
  const code = await once(child, "exit").then(
    ([it]) => String(it),
    (error: Error) => error.message,
  );
  throw new Error(`${what} has ended (${code}): ${output()}`);
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** One of the machine's ports. Answers arrive in the order of the requests. */
interface Port {
  readonly isReady: Promise<void>;
  readonly isClosed: Promise<void>;
  readonly send: (message: object | number) => void;
  readonly request: (message: object | number) => Promise<unknown>;
  /** The last message. */
  readonly last: () => unknown;
}

async function openPort(path: string): Promise<Port> {
  await until(() => existsSync(path), 10);
  const socket: Socket = connect(path);
  const waiting: ((answer: unknown) => void)[] = [];
  let last: unknown;
  const closed = once(socket, "close");
  const ready = Promise.withResolvers<void>();
  createInterface({ input: socket }).on("line", (line) => {
    const output = JSON.parse(line) as unknown;
    if (output === "ready") return ready.resolve();
    last = output;
    const isUnsolicited = (output as { requestId?: null }).requestId === null;
    if (!isUnsolicited) waiting.shift()?.(output);
  });
  const send = (message: object | number) => void socket.write(`${JSON.stringify(message)}\n`);
  return {
    isReady: ready.promise,
    isClosed: closed.then(() => {}),
    send,
    request: (message) => {
      const answer = Promise.withResolvers<unknown>();
      waiting.push(answer.resolve);
      send(message);
      return answer.promise;
    },
    last: () => last,
  };
}

async function until(holds: () => boolean, seconds: number): Promise<void> {
  for (const end = performance.now() + seconds * 1000; !holds(); await wait(20))
    if (performance.now() > end) throw new Error(`Not within ${seconds} s`);
}
