import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { chmod, open, rename, rm } from "node:fs/promises";

/** Binary files, which may be large. */
export interface Bytes {
  /** Nothing when there is no such file. */
  readBytes(path: string): Uint8Array<ArrayBuffer> | undefined;
  /** A reader sees all bytes or none; after a power cut either is possible. Writes to one path are serialized. */
  writeBytes(path: string, bytes: Uint8Array, mode: number): Promise<void>;
  /** Changes a file in place, for processes that have it mapped. It must exist. */
  overwrite(path: string, offset: number, bytes: Uint8Array): void;
}

export const bytes: Bytes = {
  readBytes: (path) => {
    try {
      return readFileSync(path);
    } catch (error) {
      if ((error as { code?: string }).code === "ENOENT") return undefined;
      throw error;
    }
  },
  writeBytes: async (path, content, mode) => {
    const draft = `${path}.new`;
    await rm(draft, { force: true });
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(content);
    } finally {
      await file.close();
    }
    await chmod(draft, mode);
    await rename(draft, path);
  },
  overwrite: (path, offset, content) => {
    const file = openSync(path, "r+");
    try {
      writeSync(file, content, 0, content.length, offset);
    } finally {
      closeSync(file);
    }
  },
};
