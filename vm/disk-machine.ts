import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { end, processor, start } from "./machine.ts";

/** A machine that boots from a disk of its own, as one would that is bought; its operator sits at the serial console. */
export interface DiskMachine extends AsyncDisposable {
  /** Resolves when its output since the last match contains this; returns the output up to there. */
  shows(pattern: RegExp, seconds?: number): Promise<string>;
  send(keys: string): void;
  /** Runs a shell command after a login; anything but success is a failure. */
  run(command: string, seconds?: number): Promise<string>;
  powerOff(): Promise<void>;
}

interface Options {
  /** For the socket of its console. */
  readonly folder: string;
  /** qcow2. What is written there stays for the next boot. */
  readonly disk: string;
  readonly firmware: "uefi" | "bios";
  /** More for the emulator: network cards. */
  readonly words?: readonly string[];
}

/** A disk with the content of an image that is not changed, and room to grow. */
export function diskOver(image: string, disk: string, size: string): void {
  execFileSync("qemu-img", ["create", "-q", "-f", "qcow2", "-b", image, "-F", "raw", disk, size]);
}

/** Resolves when the emulator runs. */
export async function bootDisk({ folder, disk, firmware, words = [] }: Options): Promise<DiskMachine> {
  const path = join(folder, "console");
  const children: ChildProcess[] = [];
  const firmwareWords = ["-drive", "if=pflash,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE.fd"];
  const emulator = start(
    children,
    "qemu-system-x86_64",
    ...machineWords,
    // Two emulated ones can crash their kernel while it rewrites its own code (docs/virtual-machine.md).
    ...processor(1),
    "-drive",
    `file=${disk},if=virtio,format=qcow2,cache=unsafe`,
    "-chardev",
    `socket,id=console,path=${path},server=on,wait=off,logfile=${path}.log`,
    "-serial",
    "chardev:console",
    ...(firmware === "uefi" ? firmwareWords : []),
    ...words,
  );
  const ended = once(emulator.child, "exit");
  const dispose = () => end(emulator.child);
  try {
    const socket = await opened(path, () => emulator.child.exitCode === null || raise(emulator.output()));
    const { shows, isOver } = reader(socket);
    const send = (keys: string) => void socket.write(keys);
    const run = async (command: string, seconds?: number) => {
      const marker = `done-${(commands += 1)}`;
      // In two words, so that an echo of the command is not taken for its end.
      send(`{ ${command}\n} 2>&1; echo "${marker}" "status=$?="\n`);
      // With its end of line, which would be the beginning of the next output.
      const output = (await shows(new RegExp(`${marker} status=\\d+=\r?\n`), seconds)).replaceAll("\r", "");
      const text = output.slice(0, output.lastIndexOf(marker));
      if (!output.endsWith("status=0=\n")) throw new Error(`${command}: ${output}`);
      return text;
    };
    return {
      shows,
      send,
      run,
      powerOff: async () => {
        send("systemctl poweroff\n");
        await Promise.race([
          ended,
          wait(300_000, undefined, { ref: false }).then(() => raise("The machine is still on after 300 s")),
        ]);
        await isOver;
      },
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

let commands = 0;
const machineWords =
  "-nodefaults -no-user-config -display none -no-reboot -machine q35 -m 1536 -device virtio-rng-pci".split(" ");

async function opened(path: string, isAlive: () => boolean): Promise<Socket> {
  for (const last = performance.now() + 30_000; !existsSync(path) && isAlive(); await wait(50))
    if (performance.now() > last) throw new Error("The emulator opened no console");
  const socket = connect(path);
  await once(socket, "connect");
  return socket;
}

/** What the console shows; everything of it, for the message of a failure. */
function reader(socket: Socket) {
  let [text, read] = ["", 0];
  let arrived = Promise.withResolvers<void>();
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    arrived.resolve();
    arrived = Promise.withResolvers<void>();
  });
  const isOver = once(socket, "close");
  const shows = async (pattern: RegExp, seconds = 300): Promise<string> => {
    const late = wait(seconds * 1000, "late" as const, { ref: false });
    for (;;) {
      const match = pattern.exec(text.slice(read));
      if (match) {
        const output = text.slice(read, read + match.index + match[0].length);
        read += output.length;
        return output;
      }
      if (text.includes("Kernel panic")) raise(`The kernel has crashed: ${text.slice(-3000)}`);
      const next = await Promise.race([arrived.promise, late, isOver.then(() => "off" as const)]);
      if (next !== undefined) raise(`The console did not show ${pattern} (${next}): ${text.slice(-3000)}`);
    }
  };
  return { shows, isOver };
}

function raise(message: string): never {
  throw new Error(message);
}
