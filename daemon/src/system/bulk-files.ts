import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { copyFile, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { RefusedSource, tooLarge } from "./refused-source.ts";

/** Files too large to read at once. Most functions block on the disk: they are for worker threads. */

const pieceBytes = 256 * 1024;

/** The file piece by piece. A piece is overwritten by the next one. */
export function* piecesOf(path: string): Generator<Uint8Array> {
  yield* piecesIn(openRegular(path));
}

/** The same of a file in a folder, and of nothing outside of it, whatever links lie there. */
export function* piecesInside(folder: string, name: string): Generator<Uint8Array> {
  yield* piecesIn(openInside(folder, name));
}

function* piecesIn(file: number): Generator<Uint8Array> {
  const piece = new Uint8Array(pieceBytes);
  try {
    for (let length = readSync(file, piece); length > 0; length = readSync(file, piece))
      yield piece.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

export interface Written {
  readonly bytes: number;
  /** SHA-256 in hex. */
  readonly digest: string;
}

/** Collects pieces in a file and fails at the first byte too many. */
export function collectInto(path: string, maxBytes: number) {
  rmSync(path, { force: true });
  const file = openSync(path, "wx", 0o600);
  const hash = createHash("sha256");
  let bytes = 0;
  return {
    add: (piece: Uint8Array): void => {
      bytes += piece.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      hash.update(piece);
      writeWhole(file, piece);
    },
    /** Everything is on the disk then. */
    finish: (): Written => {
      fsyncSync(file);
      return { bytes, digest: hash.digest("hex") };
    },
    close: (): void => closeSync(file),
  };
}

/** The whole file or none of it, also across a power cut. */
export function writeBytesAtomically(path: string, bytes: Uint8Array): void {
  const draft = `${path}.new`;
  const file = openSync(draft, "w", 0o600);
  try {
    writeWhole(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}

/** Replaces a file by a copy, made by the kernel: without blocking, and without reading it into memory. */
export async function copyAtomically(from: string, to: string, mode: number): Promise<void> {
  const draft = `${to}.new`;
  await rm(draft, { force: true });
  await copyFile(from, draft, constants.COPYFILE_FICLONE);
  const file = await open(draft, "r+");
  try {
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, to);
}

function writeWhole(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}

export const renameFile = renameSync;

export const removeFile = (path: string): void => rmSync(path, { force: true });

/** Another stamp, another content. Nothing when there is no such file. */
export function stampOf(path: string): string | undefined {
  const it = statSync(path, { throwIfNoEntry: false, bigint: true });
  return it && `${it.ino}:${it.size}:${it.mtimeNs}`;
}

/** A file that is searched in places. Nothing when there is no such file. */
export interface SearchedFile {
  readonly bytes: number;
  /** Fewer bytes at the end of the file. */
  readAt(position: number, length: number): Uint8Array;
  close(): void;
}

export function openForSearch(path: string): SearchedFile | undefined {
  if (stampOf(path) === undefined) return undefined;
  const file = openRegular(path);
  return {
    bytes: fstatSync(file).size,
    readAt: (position, length) => {
      const bytes = new Uint8Array(length);
      return bytes.subarray(0, readSync(file, bytes, 0, length, position));
    },
    close: () => closeSync(file),
  };
}

/** A pipe would be waited for for ever, and a device has no end. */
function openRegular(path: string): number {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new Error(`${path} is no regular file`);
}

/** Every failure is the same one, so that nothing is learnt of files outside the folder. */
function openInside(folder: string, name: string): number {
  const missing = new RefusedSource({ kind: "missing", folder });
  let file: number | undefined;
  try {
    const root = realpathSync(folder);
    const path = realpathSync(join(root, name));
    if (!path.startsWith(`${root}/`)) throw missing;
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    // A folder of the path may have become a link meanwhile. The kernel knows what was opened.
    if (!fstatSync(file).isFile() || readlinkSync(`/proc/self/fd/${file}`) !== path) throw missing;
    return file;
  } catch {
    if (file !== undefined) closeSync(file);
    throw missing;
  }
}
