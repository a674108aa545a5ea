import type { Picture, RowState } from "./picture.ts";

/** The drawing between the two lists: threads, the wall with its gates, and the hops between. */
export interface Threads {
  readonly threads: readonly Thread[];
  readonly gates: readonly Gate[];
  /** Solid parts of the wall between the gates. */
  readonly slabs: readonly Box[];
  readonly nodes: readonly (Box & { readonly state: RowState })[];
  /** A tunnel that is down: nothing passes behind its gate. */
  readonly dead: readonly Line[];
  readonly hops: readonly { readonly x: number; readonly y: number; readonly name: string; readonly state: RowState }[];
  /** Height of each exit in the list at the right. */
  readonly exitPx: ReadonlyMap<string, number>;
}

interface Thread {
  readonly key: string;
  readonly d: string;
  readonly width: number;
  readonly state: RowState;
  readonly isIdle: boolean;
}
interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
interface Line {
  readonly x1: number;
  readonly x2: number;
  readonly y: number;
}
interface Gate {
  /** Frame and bars as one path. */
  readonly d: string;
  readonly isOpen: boolean;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Height of the lane of traffic outside the VPN, below the others. */
export const lanePx = 48;
const gap = 2;
const wallPx = 44;
const gateAt = 0.56;
const minThreadPx = 1.5;
const blockedPx = 2;
const minGatePx = 40;
const exitPadPx = 12;

/** Thickness grows with the square root of the rate: a hundredfold rate is ten times as thick. */
const thickness = (rate: number | null, scale: number): number =>
  minThreadPx + 3.3 * Math.sqrt(((rate ?? 0) * 8) / 1e6) * scale;
const maxTotalShare = 0.5;

export function threadsOf({ rows, exits }: Picture, { width, height }: Size): Threads {
  const above = height - lanePx;
  const rowPx = rows.length > 0 ? above / Math.max(rows.length, 1) : above;
  const rowY = new Map(rows.map(({ key }, index) => [key, (index + 0.5) * rowPx]));
  const rawPx = rows.reduce((sum, { rate }) => sum + thickness(rate, 1), 0);
  const scale = Math.min(1, (above * maxTotalShare) / Math.max(rawPx, 1));
  const widthOf = ({ state, rate }: Picture["rows"][number]) =>
    state === "blocked" ? blockedPx : thickness(rate, scale);
  const totalOf = (members: Picture["rows"]) => members.reduce((sum, it) => sum + widthOf(it) + gap, -gap);
  const [x0, x1] = [width * gateAt - wallPx / 2, width * gateAt + wallPx / 2];

  const members = new Map(exits.map(({ key }) => [key, rows.filter(({ exit }) => exit === key)]));
  // An exit is beside its devices, and as high as its gate.
  const weights = exits.map(({ key }) => {
    const own = members.get(key)!;
    return Math.max(minGatePx + exitPadPx, own.length * rowPx, totalOf(own) + 30 + exitPadPx);
  });
  const allWeights = weights.reduce((sum, it) => sum + it, 0);
  const exitPx = new Map(exits.map(({ key }, index) => [key, (weights[index]! / Math.max(allWeights, 1)) * above]));

  const drawn = {
    threads: [] as Thread[],
    gates: [] as Gate[],
    slabs: [] as Box[],
    nodes: [] as (Box & { state: RowState })[],
    dead: [] as Line[],
    hops: [] as { x: number; y: number; name: string; state: RowState }[],
  };
  const node = (x: number, y: number, px: number, state: RowState) =>
    drawn.nodes.push({ x, y: y - px / 2, width: 4, height: px, state });
  /** From the row to the gate; then straight on. */
  const draw = (row: Picture["rows"][number], y1: number, endX: number) => {
    const y0 = rowY.get(row.key)!;
    const reach = x0 * 0.5;
    drawn.threads.push({
      key: row.key,
      d: `M4 ${round(y0)}C${round(reach)} ${round(y0)} ${round(x0 - reach)} ${round(y1)} ${round(x0 - 8)} ${round(y1)}H${round(endX)}`,
      width: round(widthOf(row)),
      state: row.state,
      isIdle: row.isIdle,
    });
    node(0, y0, Math.max(widthOf(row), 4), row.state);
  };
  /** Threads side by side, around the middle of where they go. */
  const bundle = (bundled: Picture["rows"], middle: number, endX: number) => {
    let at = middle - totalOf(bundled) / 2;
    for (const row of bundled) {
      draw(row, at + widthOf(row) / 2, endX);
      at += widthOf(row) + gap;
    }
  };

  let top = 0;
  let wallFrom = 0;
  for (const exit of exits) {
    const all = members.get(exit.key)!;
    const px = exitPx.get(exit.key)!;
    const y = top + px / 2;
    const state = exit.isOpen ? "protected" : "blocked";
    top += px;
    bundle(all, y, exit.isOpen ? width - 4 : x0 + 6);
    const gatePx = Math.min(px - 4, Math.max(minGatePx, totalOf(all) + 30));
    const [from, to] = [y - gatePx / 2 - 3, y + gatePx / 2 - 3];
    drawn.slabs.push({ x: x0, y: wallFrom, width: wallPx, height: Math.max(0, from - wallFrom) });
    wallFrom = to;
    drawn.gates.push({ d: gateOf({ x0, x1, from, to, isOpen: exit.isOpen }), isOpen: exit.isOpen });
    if (exit.isOpen) node(width - 4, y, Math.max(totalOf(all), 6), "protected");
    else if (exit.kind !== "blocked") drawn.dead.push({ x1: x1 + 10, x2: width - 8, y });
    const via = exit.hops.slice(0, -1);
    via.forEach((name, index) =>
      drawn.hops.push({ x: x1 + ((width - x1) * (index + 1)) / (via.length + 1), y, name, state }),
    );
  }
  drawn.slabs.push({ x: x0, y: wallFrom, width: wallPx, height: Math.max(0, above - wallFrom) });

  const outside = rows.filter(({ exit }) => exit === null);
  bundle(outside, height - lanePx / 2, width - 4);
  for (const state of ["direct", "leaking"] as const) {
    const some = outside.filter((it) => it.state === state);
    if (some.length > 0) node(width - 4, height - lanePx / 2, Math.max(totalOf(outside), 6), state);
  }
  return { ...drawn, exitPx };
}

/** A raised gate hangs above the threads; a lowered one covers the opening. */
function gateOf(it: {
  readonly x0: number;
  readonly x1: number;
  readonly from: number;
  readonly to: number;
  readonly isOpen: boolean;
}): string {
  const { x0, x1, from, to, isOpen } = it;
  const bars = [0.17, 0.39, 0.61, 0.83].map((share) => round(x0 + share * wallPx));
  const beam = `M${round(x0 + 4)} ${round(from + 3)}H${round(x1 - 4)}`;
  const ends = isOpen ? "v7" : `V${round(to - 2)}`;
  const cross = isOpen
    ? []
    : [0.38, 0.7].map((share) => `M${round(x0 + 4)} ${round(from + share * (to - from))}H${round(x1 - 4)}`);
  return [beam, ...bars.map((x) => `M${x} ${round(from + 3)}${ends}`), ...cross].join("");
}

const round = (value: number): number => Math.round(value * 10) / 10;
