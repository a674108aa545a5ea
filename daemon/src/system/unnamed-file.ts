import { constants } from "node:fs";
import { open, unlink } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { join } from "node:path";

/** A file on a disk without a name: only this process can open it, and the kernel deletes it when this process ends, however that happens. */
export interface UnnamedFile {
  readonly append: (bytes: Uint8Array) => Promise<void>;
  /** Fewer bytes at the end of the file. */
  readonly read: (at: number, bytes: number) => Promise<Buffer>;
  readonly close: () => Promise<void>;
}

export async function unnamedFile(folder: string): Promise<UnnamedFile> {
  const file = await openUnnamed(folder);
  return {
    append: async (bytes) => {
      for (let done = 0; done < bytes.length; )
        done += (await file.write(bytes, done, bytes.length - done, null)).bytesWritten;
    },
    read: async (at, bytes) => {
      const buffer = Buffer.allocUnsafe(bytes);
      const { bytesRead } = await file.read(buffer, 0, bytes, at);
      return buffer.subarray(0, bytesRead);
    },
    close: () => file.close(),
  };
}

/** Some file systems have no O_TMPFILE. There the name exists for a moment. */
async function openUnnamed(folder: string) {
  try {
    return await open(folder, unnamed | constants.O_RDWR, 0o600);
  } catch (error) {
    if (!["EOPNOTSUPP", "EISDIR", "ENOENT"].includes((error as { code?: string }).code ?? "")) throw error;
  }
  const path = join(folder, `.capture-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  await unlink(path);
  return file;
}

/** O_TMPFILE, which Node does not name: a bit of its own, and the machine's O_DIRECTORY. */
const unnamed = 0o20_000_000 | constants.O_DIRECTORY;
