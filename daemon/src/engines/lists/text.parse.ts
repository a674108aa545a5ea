import { adblockParser } from "./adblock.parse.ts";
import { detectFormat, type KnownFormat } from "./detect.parse.ts";
import { domainsParser } from "./domains.parse.ts";
import { hostsParser } from "./hosts.parse.ts";
import type { LineParser } from "./line.parse.ts";
import type { Entry, ListFormat } from "./lists.model.ts";
import { rpzParser } from "./rpz.parse.ts";

export interface ReadingOptions {
  readonly format: ListFormat;
  /** Names of the machine itself, lower case. */
  readonly ownNames: ReadonlySet<string>;
  readonly emit: (entry: Entry) => void;
}

/** What was found in a list. */
export interface Found {
  readonly format: KnownFormat;
  readonly entries: number;
  /** Lines, or names in them, that mean nothing here. */
  readonly skipped: number;
  readonly lines: number;
}

/** Reads a list as it arrives, piece by piece: only the line that is not yet whole is kept. */
export interface TextReader {
  push(piece: string): void;
  end(): Found;
}

export function readText({ format, ownNames, emit }: ReadingOptions): TextReader {
  let parser = format === "auto" ? undefined : { format, parse: parserOf(format, ownNames) };
  /** Without a format: everything until it is detected. Otherwise: the beginning of a line. */
  let pending = "";
  /** Inside a line that is too long; the rest of it is not kept. */
  let isOverlong = false;
  const count = { entries: 0, skipped: 0, lines: 0 };

  const counting = (entry: Entry): void => {
    count.entries++;
    emit(entry);
  };

  function readLine(line: string, parse: LineParser): void {
    count.lines++;
    if (line.length > mostLineCharacters) count.skipped++;
    else count.skipped += parse(line.endsWith("\r") ? line.slice(0, -1) : line, counting);
  }

  function readLines(text: string, parse: LineParser): void {
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      if (isOverlong) {
        isOverlong = false;
        count.lines++;
        count.skipped++;
      } else readLine(pending === "" ? text.slice(start, end) : pending + text.slice(start, end), parse);
      pending = "";
      start = end + 1;
    }
    if (isOverlong) return;
    pending += text.slice(start);
    if (pending.length <= mostLineCharacters) return;
    isOverlong = true;
    pending = "";
  }

  function decide(): { readonly format: KnownFormat; readonly parse: LineParser } {
    // However it arrives: always by the same beginning.
    const detected = parser?.format ?? detectFormat(pending.slice(0, enoughToTell));
    const beginning = pending.startsWith("\uFEFF") ? pending.slice(1) : pending;
    parser = { format: detected, parse: parser?.parse ?? parserOf(detected, ownNames) };
    pending = "";
    readLines(beginning, parser.parse);
    return parser;
  }

  let isDecided = false;
  return {
    push: (piece) => {
      if (isDecided) return readLines(piece, parser!.parse);
      pending += piece;
      if (pending.length < enoughToTell) return;
      isDecided = true;
      decide();
    },
    end: () => {
      const { format: known, parse } = isDecided ? parser! : decide();
      isDecided = true;
      if (pending !== "" || isOverlong) readLines("\n", parse);
      return { format: known, ...count };
    },
  };
}

/** Longer than any name or rule about one. */
const mostLineCharacters = 4096;
const enoughToTell = 64 * 1024;

function parserOf(format: KnownFormat, ownNames: ReadonlySet<string>): LineParser {
  switch (format) {
    case "hosts":
      return hostsParser({ ownNames });
    case "domains":
      return domainsParser;
    case "adblock":
      return adblockParser({ ownNames });
    case "rpz":
      return rpzParser();
  }
}
