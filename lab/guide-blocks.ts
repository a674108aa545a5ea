import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** A block of commands in a page of the documentation. */
export interface Block {
  readonly page: string;
  /** The line of its first command. */
  readonly line: number;
  readonly commands: string;
}

/** The pages in the order of reading: the README, then the guide in the order of its index. */
export function pagesInOrder(root: string): string[] {
  const guide = join(root, "docs/guide");
  const index = readFileSync(join(guide, "README.md"), "utf8");
  const pages = [...index.matchAll(/\]\(([a-z-]+\.md)\)/g)].map(([, name]) => join(guide, name!));
  return [join(root, "README.md"), ...new Set(pages)];
}

/** All blocks marked `sh` of a page. */
export function blocksOf(path: string): Block[] {
  const text = readFileSync(path, "utf8");
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((found) => ({
    page: basename(path),
    line: text.slice(0, found.index).split("\n").length + 1,
    commands: found[1]!,
  }));
}
