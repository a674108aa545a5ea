import { posix } from "node:path";
import { Marked, type Token, type Tokens } from "marked";
import { between } from "./sources.ts";

/** A page, before it is laid out. */
export interface Rendered {
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
  /** Files of the repository that it shows or links to and that are no pages. */
  readonly files: readonly string[];
}

export interface Heading {
  readonly depth: number;
  readonly text: string;
  readonly anchor: string;
}

/** What the search finds: the text under one heading. */
export interface Section {
  readonly heading: string;
  readonly anchor: string;
  readonly text: string;
}

interface Place {
  readonly path: string;
  readonly address: string;
  /** The address of a page, by its path; undefined for another file. */
  readonly addressOf: (path: string) => string | undefined;
  /** Addresses for links that lead to something other than a page. */
  readonly elsewhere: Readonly<Record<string, string>>;
}

/** Markdown as the pages of this repository use it. HTML in them is shown as text, except comments, which are left out. */
export function render(markdown: string, { path, address, addressOf, elsewhere }: Place): Rendered {
  const headings: Heading[] = [];
  const files = new Set<string>();
  const nextAnchor = anchors();

  const target = (href: string): string => {
    if (/^(?:[a-z]+:|#)/.test(href)) return href;
    const [file = "", anchor] = href.split("#");
    const linked = posix.normalize(posix.join(posix.dirname(path), file)).replace(/\/$/, "");
    const page = addressOf(linked);
    if (page === undefined && elsewhere[linked] === undefined) files.add(linked);
    const to =
      page === undefined ? (elsewhere[linked] ?? between(address, fileAddress(linked))) : between(address, page);
    return anchor === undefined ? to : `${to}#${anchor}`;
  };

  const marked = new Marked({
    renderer: {
      html: ({ text }) => (/^\s*<!--[\s\S]*-->\s*$/.test(text) ? "" : escape(text)),
      heading({ tokens, depth }) {
        const text = plain(tokens);
        const anchor = nextAnchor(text);
        headings.push({ depth, text, anchor });
        const link = depth === 1 ? "" : ` <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`;
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}${link}</h${depth}>\n`;
      },
      link({ href, title, tokens }) {
        const own = target(href);
        const rel = /^[a-z]+:/.test(own) ? ' rel="noreferrer"' : "";
        const hint = title == null ? "" : ` title="${escape(title)}"`;
        return `<a href="${escape(own)}"${rel}${hint}>${this.parser.parseInline(tokens)}</a>`;
      },
      image: ({ href, text }) => `<img src="${escape(target(href))}" alt="${escape(text)}" loading="lazy">`,
      code: ({ text, lang }) =>
        `<pre tabindex="0"><code data-lang="${escape(lang ?? "")}">${escape(text)}</code></pre>\n`,
      table(token) {
        return `<div class="wide" tabindex="0">${tableOf(token, (cell) => this.parser.parseInline(cell.tokens))}</div>\n`;
      },
    },
  });
  const tokens = marked.lexer(markdown);
  const html = marked.parser(tokens);
  const title = headings.find(({ depth }) => depth === 1)?.text ?? path;
  return { title, html, headings, sections: sectionsOf(tokens, headings), files: [...files] };
}

/** Where a file that is no page is shown. The daemon serves no dot files. */
export const fileAddress = (path: string): string =>
  `files/${path.replaceAll(/(^|\/)\./g, "$1")}${isImage(path) ? "" : ".html"}`;

export const isImage = (path: string): boolean => /\.(?:png|svg)$/.test(path);

export const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

function tableOf({ header, rows, align }: Tokens.Table, inline: (cell: Tokens.TableCell) => string): string {
  const cell = (tag: "th" | "td") => (it: Tokens.TableCell, column: number) =>
    `<${tag}${align[column] ? ` class="${align[column]}"` : ""}>${inline(it)}</${tag}>`;
  const head = header.some(({ text }) => text !== "")
    ? `<thead><tr>${header.map(cell("th")).join("")}</tr></thead>`
    : "";
  return `<table>${head}<tbody>${rows.map((row) => `<tr>${row.map(cell("td")).join("")}</tr>`).join("\n")}</tbody></table>`;
}

/** As the sites on which the same files are read make them: letters, digits, hyphens and underscores; a number for a repetition. */
function anchors(): (text: string) => string {
  const seen = new Map<string, number>();
  return (text) => {
    const plainAnchor = text
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-");
    const times = seen.get(plainAnchor) ?? 0;
    seen.set(plainAnchor, times + 1);
    return times === 0 ? plainAnchor : `${plainAnchor}-${times}`;
  };
}

/** The words of tokens without their marks. */
function plain(tokens: readonly Token[]): string {
  return tokens
    .map((it): string => {
      if (it.type === "html") return "";
      if (it.type === "table") {
        const { header, rows } = it as Tokens.Table;
        return [header, ...rows].map((row) => row.map((cell) => plain(cell.tokens)).join(" ")).join("\n");
      }
      if (it.type === "list") return (it as Tokens.List).items.map((item) => plain(item.tokens)).join("\n");
      if ("tokens" in it && it.tokens) return plain(it.tokens);
      return "text" in it ? String(it.text) : " ";
    })
    .join("");
}

function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  const sections: { heading: string; anchor: string; text: string }[] = [];
  let next = 0;
  for (const token of tokens)
    if (token.type === "heading") {
      const { text, anchor } = headings[next]!;
      next += 1;
      sections.push({ heading: text, anchor, text: "" });
    } else if (sections.length > 0) sections.at(-1)!.text += `${plain([token])} `;
  return sections.map((it) => ({ ...it, text: it.text.replaceAll(/\s+/g, " ").trim() }));
}
