import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { layout, type MenuGroup } from "./layout.ts";
import { escape, fileAddress, isImage, render, type Rendered } from "./render.ts";
import { between, type Source, sourcesIn } from "./sources.ts";

/** One file of the documentation as it is served, by its address below /docs/. */
export type Site = ReadonlyMap<string, string | Uint8Array>;

/** The documentation as HTML. It needs no other server, and a browser no script. */
export function buildSite(root: string, version: string): Site {
  const sources = sourcesIn(root);
  const address = new Map(sources.map((it) => [it.path, it.address]));
  const folders = linkedFolders(root, sources);
  const addressOf = (path: string) => address.get(path) ?? address.get(`${path}/README.md`) ?? folders.get(path);
  const pages = sources.map((source) => ({
    ...source,
    ...render(readFileSync(join(root, source.path), "utf8"), { ...source, addressOf, elsewhere }),
  }));
  const menu = menuOf(root, pages);
  const site = new Map<string, string | Uint8Array>();
  for (const page of pages) site.set(page.address, layout({ ...page, menu, version }));
  for (const [path, own] of folders) {
    const inside = pages.filter((it) => it.path.startsWith(`${path}/`));
    site.set(own, layout({ ...folderPage(own, inside), menu, version }));
  }
  for (const path of new Set(pages.flatMap(({ files }) => files))) {
    const [own, content] = [fileAddress(path), fileAt(root, path)];
    site.set(own, isImage(path) ? content : layout({ ...filePage(own, path, content), menu, version }));
  }
  for (const name of ["documentation.css", "search.js"])
    site.set(name, readFileSync(join(import.meta.dirname, "assets", name), "utf8"));
  const tokens = readFileSync(join(root, "web/src/ui/tokens.css"), "utf8");
  site.set("documentation.css", `${tokens}${site.get("documentation.css") as string}`);
  site.set("search.json", JSON.stringify(searchIndex(pages)));
  return site;
}

/** The daemon serves these itself. */
const elsewhere = { "docs/reference/openapi.json": "/api/v1/openapi.json" };

/** Folders without a README that pages link to: they get a list. */
function linkedFolders(root: string, sources: readonly Source[]): ReadonlyMap<string, string> {
  const withReadme = new Set(sources.map(({ path }) => path));
  const folders = new Set(sources.map(({ path }) => path.split("/").slice(0, -1).join("/")));
  return new Map(
    [...folders]
      .filter((it) => it.startsWith("docs/") && !withReadme.has(`${it}/README.md`))
      .filter((it) => statSync(join(root, it)).isDirectory())
      .map((it) => [it, `${it.replace(/^docs\//, "")}/index.html`]),
  );
}

type NamedPage = Source & Pick<Rendered, "title">;

function folderPage(own: string, inside: readonly NamedPage[]) {
  const name = own.split("/").at(-2)!;
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  const items = inside.map((it) => `<li><a href="${escape(between(own, it.address))}">${escape(it.title)}</a></li>`);
  return { address: own, title, headings: [], html: `<h1>${title}</h1>\n<ul>${items.join("\n")}</ul>` };
}

/** A file as it is: a script that is served as one would have to be executable in the package. */
const filePage = (address: string, path: string, content: Uint8Array) => ({
  address,
  title: path,
  headings: [],
  html: `<h1>${escape(path)}</h1>\n<pre tabindex="0"><code>${escape(Buffer.from(content).toString("utf8"))}</code></pre>`,
});

function fileAt(root: string, path: string): Uint8Array {
  const file = join(root, path);
  if (!existsSync(file) || statSync(file).isDirectory()) throw new Error(`A page links to ${path}, which is no file`);
  return readFileSync(file);
}

/** The guide in its own order, then what it refers to. */
function menuOf(root: string, pages: readonly NamedPage[]): MenuGroup[] {
  const index = readFileSync(join(root, "docs/guide/README.md"), "utf8");
  const order = [...index.matchAll(/\]\(([a-z-]+\.md)\)/g)].map(([, name]) => `docs/guide/${name}`);
  const named = (path: string, title?: string) => {
    const page = pages.find((it) => it.path === path);
    if (!page) throw new Error(`The documentation has no page ${path}`);
    return { address: page.address, title: title ?? page.title };
  };
  const decisions = existsSync(join(root, "docs/decisions")) && readdirSync(join(root, "docs/decisions")).length > 0;
  return [
    {
      title: "Guide",
      pages: [named("docs/guide/README.md", "Contents"), ...[...new Set(order)].map((it) => named(it))],
    },
    {
      title: "What holds",
      pages: ["traffic", "known-issues", "leak-matrix", "proof"].map((it) => named(`docs/${it}.md`)),
    },
    {
      title: "Reference",
      pages: [
        named("docs/reference/README.md", "API and commands"),
        ...["cli", "errors", "events", "reasons", "roles"].map((it) => named(`docs/reference/${it}.md`)),
        named("docs/glossary.md"),
        ...(decisions ? [{ address: "decisions/index.html", title: "Decisions" }] : []),
        named("CHANGELOG.md"),
      ],
    },
  ];
}

/** Page title, heading, address and text of each section. The long tables of the reference are found by their headings only. */
const searchIndex = (pages: readonly (NamedPage & Pick<Rendered, "sections">)[]): string[][] =>
  pages.flatMap(({ path, address, title, sections }) =>
    sections.map(({ heading, anchor, text }) => [
      title,
      heading,
      `${address}#${anchor}`,
      path.startsWith("docs/reference/") ? "" : text.toLowerCase(),
    ]),
  );
