import { isCorrupt, type LogFile, openLogFile } from "./dns-log-file.ts";
import { type Pages, readPages } from "./dns-log-pages.ts";

interface Needs {
  readonly path: string;
  /** Moves the corrupt file aside. */
  readonly setAside: () => void;
  readonly warn: (message: string, error: unknown) => void;
}

export interface Storage {
  /** The pages in use. They are replaced when the file is. */
  pages(): Pages;
  /** The gateway starts without the file too: then a limited number of rows is kept in memory. */
  isInMemory(): boolean;
  /** Does some work. A corrupt file is replaced; other errors, such as a full disk, are reported once. */
  readonly guarded: <T>(work: () => T, otherwise: T) => T;
  /** Closes the file, removes it, and begins with a new one. */
  recreate(remove: () => void): void;
  close(): void;
}

/** The file of the DNS log, replaced when it is corrupt, and rows in memory when there can be no file. */
export function openStorage({ path, setAside, warn }: Needs): Storage {
  let memory = false;
  let isFailing = false;
  let pages = opened(1);

  function opened(minId: number): Pages {
    memory = false;
    try {
      return openPages(path, minId);
    } catch (error) {
      if (!isCorrupt(error)) return inMemory(minId, error);
      warn("The DNS log is corrupt; it is set aside and recreated", error);
    }
    try {
      setAside();
      return openPages(path, minId);
    } catch (error) {
      return inMemory(minId, error);
    }
  }

  function inMemory(minId: number, error: unknown): Pages {
    warn("The DNS log has no file; a limited number of rows is kept in memory", error);
    memory = true;
    return openPages(":memory:", minId);
  }

  function replaced({ file, nextId }: Pages): Pages {
    closeQuietly(file);
    try {
      setAside();
    } catch (error) {
      return inMemory(nextId, error);
    }
    return opened(nextId);
  }

  return {
    pages: () => pages,
    isInMemory: () => memory,
    guarded: (work, otherwise) => {
      try {
        const result = work();
        isFailing = false;
        return result;
      } catch (error) {
        if (isCorrupt(error)) {
          warn("The DNS log is corrupt; it is set aside and recreated", error);
          pages = replaced(pages);
        } else if (!isFailing) {
          isFailing = true;
          warn("The DNS log cannot be written or read", error);
        }
        return otherwise;
      }
    },
    recreate: (remove) => {
      closeQuietly(pages.file);
      remove();
      pages = opened(pages.nextId);
    },
    close: () => closeQuietly(pages.file),
  };
}

function openPages(path: string, minId: number): Pages {
  const file = openLogFile(path);
  try {
    return readPages(file, minId);
  } catch (error) {
    closeQuietly(file);
    throw error;
  }
}

function closeQuietly(file: LogFile): void {
  try {
    file.close();
  } catch {
    // Closing a corrupt file may fail; it is not used again.
  }
}
