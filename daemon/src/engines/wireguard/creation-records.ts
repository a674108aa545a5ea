import type { System } from "../../system/system.ts";
import type { ProcessState } from "../supervisor/supervisor.model.ts";
import { type CreationRecord, interfaceOf } from "./wireguard.diff.ts";

export interface CreationRecords {
  /** An interface with a running process of ours is ours, with or without a record. */
  read(processes: readonly ProcessState[]): ReadonlyMap<string, CreationRecord>;
  write(name: string, made: CreationRecord): void;
  remove(name: string): void;
}

/** Which interfaces we created, on disk: a daemon that starts must know them, and touch no other. */
export function creationRecords(system: System, folder: string): CreationRecords {
  const pathOf = (name: string): string => `${folder}/${name}.json`;
  return {
    read: (processes) => {
      const running = processes
        .filter(({ condition }) => condition.kind === "running")
        .map(({ name }) => interfaceOf(name));
      const files = system.list(folder).filter((file) => file.endsWith(".json"));
      const written = files.flatMap((file): [string, CreationRecord][] => {
        const made = parseRecord(system.readText(`${folder}/${file}`) ?? "");
        return made ? [[file.slice(0, -".json".length), made]] : [];
      });
      return new Map([
        ...running.map((name): [string, CreationRecord] => [name, { by: "program", endpoints: {} }]),
        ...written,
      ]);
    },
    write: (name, made) => {
      system.makeFolder(folder, 0o700);
      system.writeAtomically(pathOf(name), JSON.stringify(made), 0o600);
    },
    remove: (name) => system.remove(pathOf(name)),
  };
}

function parseRecord(text: string): CreationRecord | undefined {
  try {
    return JSON.parse(text) as CreationRecord;
  } catch {
    return undefined; // Not ours, or incomplete.
  }
}
