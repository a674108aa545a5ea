import { escape, type Heading } from "./render.ts";
import { between } from "./sources.ts";

interface Page {
  readonly address: string;
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  /** Of all pages: their address and title. */
  readonly menu: readonly MenuGroup[];
  readonly version: string;
}

export interface MenuGroup {
  readonly title: string;
  readonly pages: readonly { readonly address: string; readonly title: string }[];
}

/** A whole page. Its scripts and styles are files of the same server; without scripts only the search is missing. */
export function layout({ address, title, html, headings, menu, version }: Page): string {
  const to = (other: string) => escape(between(address, other));
  const links = ({ title: group, pages }: MenuGroup) =>
    `<section><h2>${escape(group)}</h2><ul>${pages
      .map((it) => {
        const current = it.address === address ? ' aria-current="page"' : "";
        return `<li><a href="${to(it.address)}"${current}>${escape(it.title)}</a></li>`;
      })
      .join("")}</ul></section>`;
  const parts = headings.filter(({ depth }) => depth === 2);
  const contents =
    parts.length < 3
      ? ""
      : `<nav class="contents" aria-label="On this page"><ul>${parts
          .map(({ text, anchor }) => `<li><a href="#${anchor}">${escape(text)}</a></li>`)
          .join("")}</ul></nav>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)} · Portcullis</title>
<link rel="icon" href="/gate.svg" type="image/svg+xml">
<link rel="stylesheet" href="${to("documentation.css")}">
<script src="/theme.js"></script>
<script src="${to("search.js")}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a class="brand" href="${to("index.html")}">Portcullis</a> <span class="quiet">Documentation ${escape(version)}</span>
<form role="search" data-index="${to("search.json")}" data-root="${to("index.html")}" hidden><input type="search" name="q" placeholder="Search" aria-label="Search the documentation" autocomplete="off"><ol aria-live="polite"></ol></form>
<a href="/">Web interface</a></header>
<div class="columns">
<nav class="menu" aria-label="Pages">${menu.map(links).join("")}</nav>
<main id="content">${contents}
${html}</main>
</div>
</body>
</html>
`;
}
