import { hostsParser } from "./hosts.parse.ts";
import type { LineParser } from "./line.parse.ts";
import { isSingleLabel, parseName } from "./names.parse.ts";

/**
 * Rules of browsers' blockers as far as they speak of whole names: `||name^` and `@@||name^`. Rules about paths, parts of
 * pages or the page a request comes from cannot be kept by a name server, and keeping them halfway would block too much.
 */
export const adblockParser = (own: { readonly ownNames: ReadonlySet<string> }): LineParser => {
  const asHosts = hostsParser(own);
  return (line, emit) => {
    const text = line.trim();
    if (text === "" || text.startsWith("!") || isHeader(text)) return 0;
    // Two of these begin a rule about parts of a page, one a comment as in hosts files.
    if (text.startsWith("#")) return isCosmetic(text) ? 1 : 0;
    const isException = text.startsWith("@@");
    const rule = isException ? text.slice(2) : text;
    if (!rule.startsWith("||")) return isException ? 1 : readBare(text, emit, asHosts);
    const { pattern, modifiers } = split(rule.slice(2));
    if (!modifiers.every((it) => keepsItsMeaning(it, isException))) return 1;
    const isClosed = pattern.endsWith("^") || pattern.endsWith("^|");
    const subject = isClosed ? pattern.slice(0, pattern.lastIndexOf("^")) : pattern;
    const isBelow = subject.startsWith("*.");
    const name = parseName(isBelow ? subject.slice(2) : subject);
    // Without the mark at its end `||com` is the beginning of many names.
    if (name === undefined || subject.endsWith(".") || (!isClosed && isSingleLabel(name))) return 1;
    emit({ name, scope: isBelow ? "below" : "both", isException });
    return 0;
  };
};

const isHeader = (text: string): boolean => text.startsWith("[") && text.endsWith("]");

const isCosmetic = (text: string): boolean => /^#(?:#|@|\?|\$|%)/.test(text);

/** Lists for name servers also have lines of hosts files, and bare names that mean themselves only. */
function readBare(text: string, emit: Parameters<LineParser>[1], asHosts: LineParser): number {
  if (/\s/.test(text)) return asHosts(text, emit);
  const name = parseName(text);
  if (name === undefined || isSingleLabel(name) || text.endsWith(".")) return 1;
  emit({ name, scope: "exact", isException: false });
  return 0;
}

function split(rule: string): { readonly pattern: string; readonly modifiers: readonly string[] } {
  const dollar = rule.indexOf("$");
  if (dollar < 0) return { pattern: rule, modifiers: [] };
  return { pattern: rule.slice(0, dollar), modifiers: rule.slice(dollar + 1).split(",") };
}

/**
 * What is blocked as a whole page, or with everything there is, may lose its name. A page that is excepted is one on which
 * nothing is blocked, which is not said of its name.
 */
const keepsItsMeaning = (modifier: string, isException: boolean): boolean =>
  modifier === "important" || (!isException && wholePages.has(modifier));

const wholePages: ReadonlySet<string> = new Set(["all", "document", "doc"]);
