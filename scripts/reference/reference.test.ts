import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { api } from "@portcullis/contract/api";
import { operations } from "@portcullis/contract/endpoint";
import { version } from "@portcullis/contract/version";
import { expect, test } from "vitest";
import { createSchemas } from "../../daemon/src/http/schemas.ts";
import { sampleOf } from "./example.ts";
import { anchor } from "./markdown.ts";
import { referencePages } from "./pages.ts";

const folder = fileURLToPath(new URL("../../docs/reference", import.meta.url));
const pages = referencePages(api, version);

const committed = existsSync(folder)
  ? readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((it) => it.isFile())
      .map((it) => join(it.parentPath, it.name).slice(folder.length + 1))
  : [];

test("docs/reference has every page and no stray file; `npm run reference` regenerates it", () =>
  expect(committed.toSorted()).toEqual(Object.keys(pages).toSorted()));

test.each(Object.keys(pages))("docs/reference/%s matches the contract; `npm run reference` regenerates it", (path) =>
  expect(readFileSync(join(folder, path), "utf8")).toBe(pages[path]),
);

test.each(Object.keys(pages).filter((path) => path.endsWith(".md")))("every link of %s has a target", (path) => {
  for (const [, target = ""] of pages[path]!.matchAll(/\]\(([^)]+)\)/g)) {
    const [file, fragment] = target.split("#");
    const linkedPage = file === "" ? path : normalize(join(dirname(path), file!));
    expect(Object.keys(pages)).toContain(linkedPage);
    expect(fragment === undefined ? [fragment] : anchorsOf(pages[linkedPage]!)).toContain(fragment);
  }
});

const anchorsOf = (page: string): string[] =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchor(heading).slice(1));

test.each(Object.keys(pages).filter((path) => path.endsWith(".md")))("the headings of %s differ", (path) => {
  const anchors = anchorsOf(pages[path]!);
  expect(new Set(anchors).size).toBe(anchors.length);
});

test.each(
  operations(api).flatMap(({ subsystem, name, endpoint }) =>
    endpoint.body ? [{ subsystem, name, body: endpoint.body }] : [],
  ),
)("the example of $subsystem.$name is a body the daemon takes", ({ body }) => {
  const check = createSchemas({ checkAnswers: false }).body(body);
  expect(() => check(sampleOf(body))).not.toThrow();
});

test("every endpoint has its section", () => {
  const text = Object.entries(pages)
    .filter(([path]) => path.startsWith("api/"))
    .map(([, page]) => page)
    .join("");
  for (const { endpoint } of operations(api)) expect(text).toContain(`## ${endpoint.method} /api/v1${endpoint.path}\n`);
});
