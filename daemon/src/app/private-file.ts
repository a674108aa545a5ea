import type { System } from "../system/system.ts";

/** A file that only its owner may read. The mode of an existing file is restricted before it is read. */
export const privateFile = (system: System, path: string, mode: number) => ({
  read: (): string | undefined => {
    system.restrict(path, mode);
    return system.readText(path);
  },
  write: (text: string): void => system.writeAtomically(path, text, mode),
  remove: (): void => system.remove(path),
});
