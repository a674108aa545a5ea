import { renameSync, rmSync } from "node:fs";

/** Operations on a closed database, with its journal files. */
export interface DatabaseFiles {
  readonly setAside: () => void;
  readonly removeAside: () => void;
  readonly remove: () => void;
}

export function databaseFiles(path: string): DatabaseFiles {
  const aside = `${path}.broken`;
  const removeCompanions = () => {
    for (const ending of ["-wal", "-shm"]) rmSync(`${path}${ending}`, { force: true });
  };
  return {
    /** One is enough to find out what happened: it takes the place of the one before. */
    setAside: () => {
      renameSync(path, aside);
      removeCompanions();
    },
    removeAside: () => rmSync(aside, { force: true }),
    remove: () => {
      rmSync(path, { force: true });
      removeCompanions();
    },
  };
}
