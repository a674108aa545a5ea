import type { System } from "../../system/system.ts";
import type { CreationRecord } from "./wireguard.diff.ts";
import { type Device, parseAnswer, parseDump } from "./wireguard.parse.ts";

/** A process answers within milliseconds, or hangs. */
const answerMs = 2000;

/** Where wg looks for the sockets of programs. */
export const wgFolder = "/var/run/wireguard";

export interface Devices {
  /** Undefined if it does not answer in time: a process may hang. */
  read(name: string, by: CreationRecord["by"]): Promise<Device | undefined>;
  configure(verb: "setconf" | "syncconf", name: string, by: CreationRecord["by"], conf: string): Promise<void>;
  /** Removes the sockets of a program: a killed one leaves them. */
  removeSockets(name: string): void;
}

/** Configures and reads WireGuard interfaces, of the kernel by wg, of a program by its socket. */
export function wireguardDevices(system: System, socketOf: (name: string) => string): Devices {
  const wgSocketOf = (name: string): string => `${wgFolder}/${name}.sock`;

  /** Not by wg: that would be a process per query, and it removes a socket whose program is about to listen. */
  function readFromProgram(name: string): Promise<Device | undefined> {
    const { promise, resolve } = Promise.withResolvers<Device | undefined>();
    const lines: string[] = [];
    const timer = setTimeout(() => resolve(undefined), answerMs);
    const socket = system.connectUnix(
      socketOf(name),
      (line) => {
        if (line.startsWith("errno=")) resolve(line === "errno=0" ? parseAnswer(lines) : undefined);
        else if (line !== "") lines.push(line);
      },
      () => resolve(undefined),
    );
    for (const line of ["get=1", ""]) socket.write(line);
    return promise.finally(() => {
      clearTimeout(timer);
      socket.close();
    });
  }

  /** wg looks for sockets in one folder, and removes one from there that does not answer at once. */
  async function showToWg(name: string): Promise<void> {
    system.makeFolder(wgFolder, 0o755);
    await system.run("ln", ["-sfn", socketOf(name), wgSocketOf(name)]);
  }

  return {
    read: (name, by) =>
      by === "kernel"
        ? system.run("wg", ["show", name, "dump"], { timeoutMs: answerMs }).then(parseDump, () => undefined)
        : readFromProgram(name),
    configure: async (verb, name, by, conf) => {
      if (by === "program") await showToWg(name);
      await system.inMemory(conf, (path) => system.run("wg", [verb, name, path], { timeoutMs: answerMs }));
    },
    removeSockets: (name) => {
      for (const socket of [wgSocketOf(name), socketOf(name)]) system.remove(socket);
    },
  };
}
