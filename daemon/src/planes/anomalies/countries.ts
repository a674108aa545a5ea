import type { System } from "../../system/system.ts";

/** The countries of addresses. */
export interface Countries {
  /** Two letters; undefined: not listed. */
  readonly of: (address: string) => string | undefined;
}

/** The lists of the Debian package tor-geoipdb. */
const files = { v4: "/usr/share/tor/geoip", v6: "/usr/share/tor/geoip6" } as const;

/** undefined: the lists are not installed. */
export async function readCountries(
  system: Pick<System, "readText">,
  pause: () => Promise<unknown>,
): Promise<Countries | undefined> {
  const v4 = await rangesIn(system.readText(files.v4), numberOf, pause);
  const v6 = await rangesIn(system.readText(files.v6), network48, pause);
  if (!v4 && !v6) return undefined;
  return {
    of: (address) =>
      address.includes(":") ? v6 && countryIn(v6, network48(address)) : v4 && countryIn(v4, numberOf(address)),
  };
}

/** Sorted. Half a million objects would take ten times as much memory. */
interface Ranges {
  readonly firsts: Float64Array;
  readonly lasts: Float64Array;
  /** Both letters in one number. */
  readonly codes: Uint16Array;
}

const linesAtOnce = 5000;

/** `pause` lets other work proceed: the lists have half a million lines. */
async function rangesIn(
  text: string | undefined,
  numberIn: (word: string) => number,
  pause: () => Promise<unknown>,
): Promise<Ranges | undefined> {
  if (text === undefined) return undefined;
  await pause();
  const [firsts, lasts, codes]: [number[], number[], number[]] = [[], [], []];
  let start = 0;
  for (let line = 1; start < text.length; line += 1) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    if (text[start] !== "#" && text[start] !== "\r" && end > start) {
      const [first = "", last = "", code = ""] = text.slice(start, end).split(",");
      if (/^[A-Z]{2}/.test(code)) {
        firsts.push(numberIn(first));
        lasts.push(numberIn(last));
        codes.push(code.charCodeAt(0) * 256 + code.charCodeAt(1));
      }
    }
    start = end + 1;
    if (line % linesAtOnce === 0) await pause();
  }
  return { firsts: Float64Array.from(firsts), lasts: Float64Array.from(lasts), codes: Uint16Array.from(codes) };
}

function countryIn({ firsts, lasts, codes }: Ranges, value: number): string | undefined {
  let [low, high] = [0, firsts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (firsts[middle]! <= value) low = middle;
    else high = middle - 1;
  }
  if (firsts.length === 0 || firsts[low]! > value || lasts[low]! < value) return undefined;
  const code = codes[low]!;
  return String.fromCharCode(code >> 8, code & 0xff);
}

/** Of an address, and of a number as it is in the list. */
const numberOf = (address: string): number =>
  address.split(".").reduce((number, part) => number * 256 + Number(part), 0);

/** The first 48 bits of an IPv6 address: no registry assigns less to a country. */
function network48(address: string): number {
  const [head = ""] = address.split("::");
  const parts = head.split(":");
  return [0, 1, 2].reduce((number, n) => number * 65_536 + Number.parseInt(parts[n] || "0", 16), 0);
}
