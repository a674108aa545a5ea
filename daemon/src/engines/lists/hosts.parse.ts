import { endOfWord, type LineParser, startOfWord, withoutComment } from "./line.parse.ts";
import { isSingleLabel, parseName } from "./names.parse.ts";

/**
 * `0.0.0.0 ads.example tracker.example # both`: each name, and none below it. Lines that give a name a real address are
 * a private network's host names, and block nothing.
 */
export const hostsParser =
  ({ ownNames }: { readonly ownNames: ReadonlySet<string> }): LineParser =>
  (line, emit) => {
    const text = withoutComment(line);
    if (text === "") return 0;
    const addressEnd = endOfWord(text, 0);
    if (!isSinkholeAddress(text.slice(0, addressEnd))) return 1;
    let skipped = 0;
    let names = 0;
    for (let start = startOfWord(text, addressEnd); start < text.length; names++) {
      const end = endOfWord(text, start);
      const name = parseName(text.slice(start, end));
      // A name without a dot is local to a network, such as `localhost` and `broadcasthost`.
      if (name === undefined || isSingleLabel(name) || isOwn(name, ownNames)) skipped++;
      else emit({ name, scope: "exact", isException: false });
      start = startOfWord(text, end);
    }
    return names === 0 ? 1 : skipped;
  };

/** Addresses that hosts lists use for blocked names. */
export const isSinkholeAddress = (address: string): boolean => sinkholeAddresses.has(address);

const sinkholeAddresses: ReadonlySet<string> = new Set(["0.0.0.0", "127.0.0.1", "127.0.1.1", "0", "::", "::0", "::1"]);

/** Names of the gateway itself must not be blocked. */
const isOwn = (name: string, ownNames: ReadonlySet<string>): boolean =>
  (ownNames.size > 0 && ownNames.has(name)) || (name.includes(".local") && /\.local(?:host|domain)?$/.test(name));
