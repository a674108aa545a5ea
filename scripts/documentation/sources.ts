import { globSync } from "node:fs";
import { posix } from "node:path";

/** The repository's path of a page in Markdown, and its address below /docs/. */
export interface Source {
  readonly path: string;
  readonly address: string;
}

/** Everything that the README, the guide or a decision can link to. */
export function sourcesIn(root: string): Source[] {
  return ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
    .concat(globSync("docs/**/*.md", { cwd: root }).toSorted())
    .map((path) => ({ path, address: addressOf(path) }));
}

/** README.md is the front page of its folder. */
const addressOf = (path: string): string =>
  path
    .replace(/^docs\//, "")
    .replace(/(?:^|(?<=\/))README\.md$/, "index.md")
    .replace(/\.md$/, ".html");

/** The address of one page, relative to another. */
export const between = (from: string, to: string): string => posix.relative(posix.dirname(from), to) || to;
