import { families, kinds, type ProbeName } from "./probes.ts";
import type { Cell, Row } from "./matrix.ts";

/** When and how a matrix was made. */
export interface Occasion {
  readonly date: string;
  readonly seed: number;
  readonly seconds: number;
}

/** How many faults there are. */
export const faultsInAll = 34;

/** The page docs/leak-matrix.md. */
export function documentOf(rows: readonly Row[], { date, seed, seconds }: Occasion): string {
  const sorted = rows.toSorted((a, b) => a.fault - b.fault || (a.where < b.where ? -1 : 1));
  const cells = sorted.flatMap((row) => row.cells);
  const total = (what: (cell: Cell) => number) => grouped(cells.reduce((sum, cell) => sum + what(cell), 0));
  return `# Leak matrix

A protected device sends every kind of packet, without pause, while a fault is injected that has made devices leak
elsewhere. Outside the gateway every wire is monitored. This is what was seen. \`npm run leak-matrix\` writes this page;
CI injects the faults that need no boot for each change, and fails on a cell that is missing or not 0.

| | |
|---|---|
| date | ${date} |
| seed of the lab | ${seed} |
| duration | ${grouped(Math.round(seconds))} s |
| faults | ${new Set(rows.map(({ fault }) => fault)).size}, done ${rows.length} times |
| cells | ${grouped(cells.length)} |
| packets sent while something was wrong | ${total(({ sent }) => sent)} |
| in a second | ${Math.round(cells.reduce((sum, { sent }) => sum + sent, 0) / rows.reduce((sum, row) => sum + row.seconds, 0))} |
| **seen outside** | **${total(({ leaked }) => leaked)}** |
| seen outside in the controls | ${total(({ control }) => control)} |

## How to read it

The device leaves through a chain of two WireGuard tunnels that fails closed, in both families; a device that is no
longer known as protected would be let out, which is the harsher choice. All probes run together, from before the fault
until the gateway works again, by itself or with the help that the fault itself needs (a server that is started again).
Packets count on the wires of both uplinks and behind the first hop, where only the second tunnel may be seen. A packet
counts when it is the device's, contains a mark of its payload, goes to an address that only the device contacts,
queries a name that only it has queried, or quotes any of these: packets that the gateway sends on its behalf count like
its own. On the same wires any other packet, except a tunnel's own packets, neighbour discovery, DHCP and the gateway's
probes of uplinks and resolvers, makes the fault fail as well.

| probe | what is sent |
|---|---|
| tcp | connections of the device's own kernel that stay open as long as they are answered, fresh SYNs, segments that belong to no connection |
| udp | fresh and lasting flows, some with a response that exceeds the MTU of the LAN, expires at the gateway or reaches no device |
| icmp | echo requests |
| dns-udp, dns-tcp | queries for fresh names to a server outside and to the gateway, which resolves them for the device |
| dot, quic, stun | TCP 853, a first packet of QUIC to UDP 443, binding requests to UDP 3478 |

Each cell is **seen outside / sent / control**. The control is how many packets of that probe the same monitors saw when
the device was not protected. In the lab an exception let it out just before each fault; a DNS query counts there only
if it was seen both from the device and from the gateway. In the virtual machine (*vm*) the same fault was injected
without the guard.
${families.map((family) => tableOf(sorted, family)).join("")}
## What showed that it happened

${table([
  ["fault", "where", "seconds", "evidence", "[what may pass](traffic.md)"],
  ...sorted.map((row) => [
    `${row.fault} ${row.name}`,
    row.where,
    row.seconds.toFixed(1),
    row.evidence ?? "",
    row.cites.join(", "),
  ]),
])}`;
}

const tableOf = (rows: readonly Row[], family: (typeof families)[number]): string => `
## IPv${family}

${table([
  ["fault", "where", ...kinds],
  ...rows.map((row) => [
    `${row.fault} ${row.name}`,
    row.where,
    ...kinds.map((kind) => cellText(row.cells.find(({ probe }) => probe === `${kind}${family}`))),
  ]),
])}`;

const cellText = (cell: Cell | undefined): string =>
  cell === undefined ? "–" : `${cell.leaked} / ${cell.sent} / ${cell.control}`;

function table([head, ...body]: readonly (readonly string[])[]): string {
  const line = (words: readonly string[]) => `| ${words.join(" | ")} |\n`;
  return [line(head!), `|${head!.map(() => "---").join("|")}|\n`, ...body.map(line)].join("");
}

const grouped = (count: number): string => count.toLocaleString("en-GB");

/** The cells that a document has, by fault. */
export function readDocument(text: string): ReadonlyMap<number, readonly Cell[]> {
  const cells = new Map<number, Cell[]>();
  let family: string | undefined;
  for (const line of text.split("\n")) {
    family = /^## IPv([46])$/.exec(line)?.[1] ?? (line.startsWith("## ") ? undefined : family);
    const [, fault, rest = ""] = /^\| (\d+) [^|]*\| (?:lab|vm) \|(.*)\|$/.exec(line) ?? [];
    if (family === undefined || fault === undefined) continue;
    for (const [index, words] of rest.split("|").entries()) {
      const [leaked, sent, control] = words.split("/").map(Number);
      const probe = `${kinds[index]}${family}` as ProbeName;
      const cell = { probe, leaked: leaked ?? Number.NaN, sent: sent ?? 0, control: control ?? 0 };
      cells.set(Number(fault), [...(cells.get(Number(fault)) ?? []), cell]);
    }
  }
  return cells;
}

/** Seconds that a whole matrix may take. */
const maxSeconds = 900;

/** The duration in a document. */
export const tooSlow = (text: string): string[] => {
  const seconds = Number(/^\| duration \| ([\d,]+) s \|$/m.exec(text)?.[1]?.replaceAll(",", ""));
  return seconds <= maxSeconds ? [] : [`it took ${seconds} s, of ${maxSeconds}`];
};

/** What is missing or wrong in a whole matrix, whatever it was read from. */
export function gaps(cells: ReadonlyMap<number, readonly Cell[]>): string[] {
  const wrong: string[] = [];
  for (let fault = 1; fault <= faultsInAll; fault += 1)
    for (const probe of families.flatMap((family) => kinds.map((kind) => `${kind}${family}` as const))) {
      const found = (cells.get(fault) ?? []).filter((cell) => cell.probe === probe);
      const stands = found.every(({ leaked, sent, control }) => leaked === 0 && sent > 0 && control > 0);
      if (found.length === 0) wrong.push(`fault ${fault}, ${probe}: missing`);
      else if (!stands) wrong.push(`fault ${fault}, ${probe}: ${found.map(cellText).join(", ")}`);
    }
  return wrong;
}
