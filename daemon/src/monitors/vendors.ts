import type { System } from "../system/system.ts";

/** The organisations to which IEEE assigned prefixes of MAC addresses. */
export interface Vendors {
  /** null: the prefix is not registered. */
  readonly of: (mac: string) => string | null;
}

/** The lists of the Debian package ieee-data, the longest prefixes first. */
const files = [
  { name: "oui36.csv", digits: 9 },
  { name: "iab.csv", digits: 9 },
  { name: "mam.csv", digits: 7 },
  { name: "oui.csv", digits: 6 },
] as const;
const folder = "/usr/share/ieee-data";

/** undefined: the lists are not installed. */
export function readVendors(system: Pick<System, "readText">, from = folder): Vendors | undefined {
  const texts = files.flatMap(({ name, digits }) => {
    const text = system.readText(`${from}/${name}`);
    return text === undefined ? [] : [{ digits, text }];
  });
  if (texts.length === 0) return undefined;
  const lists = texts.map(({ digits, text }) => ({ digits, find: assignments(text, digits) }));
  return {
    of: (mac) => {
      const hex = mac.replaceAll(":", "");
      for (const { digits, find } of lists) {
        const name = find(Number.parseInt(hex.slice(0, digits), 16));
        // Of a block that was divided, the registry itself has the rest: the organisation with the part is in another list.
        if (name !== undefined && name !== "IEEE Registration Authority") return name;
      }
      return null;
    },
  };
}

/** 40,000 names as objects would take ten times as much memory as a sorted array of prefixes beside one text. */
function assignments(text: string, digits: number): (prefix: number) => string | undefined {
  const line = new RegExp(`^[A-Z-]+,([0-9A-F]{${digits}}),(?:"((?:[^"]|"")*)"|([^,\\r\\n]*)),`, "gm");
  const rows: { prefix: number; name: string }[] = [];
  for (const [, prefix, quoted, plain] of text.matchAll(line)) {
    const name = (quoted?.replaceAll('""', '"') ?? plain ?? "").replace(/\s+/g, " ").trim();
    if (name !== "" && name !== "Private") rows.push({ prefix: Number.parseInt(prefix!, 16), name });
  }
  rows.sort((a, b) => a.prefix - b.prefix);
  const prefixes = Float64Array.from(rows, ({ prefix }) => prefix);
  const names = new TextEncoder().encode(rows.map(({ name }) => `${name}\n`).join(""));
  const starts = new Uint32Array(rows.length + 1);
  let row = 0;
  for (const [index, byte] of names.entries()) if (byte === newLine) starts[(row += 1)] = index + 1;
  const decoder = new TextDecoder();
  return (prefix) => {
    const index = position(prefixes, prefix);
    return index === undefined ? undefined : decoder.decode(names.subarray(starts[index], starts[index + 1]! - 1));
  };
}

const newLine = 10;

function position(sorted: Float64Array, wanted: number): number | undefined {
  let [low, high] = [0, sorted.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const value = sorted[middle]!;
    if (value === wanted) return middle;
    if (value < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}
