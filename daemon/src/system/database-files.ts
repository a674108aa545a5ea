import { renameSync, rmSync } from "node:fs";

/** What becomes of a database as a whole, with the files that lie beside it. Nobody may have it open. */
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
