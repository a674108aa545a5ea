import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Room, rooms } from "./rooms.ts";

const begin = "<!-- picture: begin. Drawn from architecture/rooms.ts by `npm run picture` -->";
const end = "<!-- picture: end -->";

/** The document with the picture between its two marks drawn anew. */
export function withPicture(document: string, rooms: readonly Room[]): string {
  const [before, rest] = document.split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined) throw new Error(`The document lacks the marks ${begin} and ${end}`);
  return `${before}${begin}\n\n${picture(rooms)}\n\n${table(rooms)}\n\n${end}${after}`;
}

/** Arrows are imports. The rooms outside, which may import everything, would only hide the others. */
function picture(rooms: readonly Room[]): string {
  const inside = rooms.filter(({ side }) => side !== "outside");
  const sides = Object.entries(Object.groupBy(inside, ({ side }) => side));
  const groups = sides.flatMap(([side, there]) => [
    `  subgraph ${side}`,
    ...there.map(({ name }) => `    ${name}`),
    "  end",
  ]);
  const arrows = inside.flatMap((room) =>
    room.mayImport.map((target) => `  ${room.name} ${arrow(room, target)} ${target}`),
  );
  return ["```mermaid", "flowchart LR", ...groups, ...arrows, "```"].join("\n");
}

const arrow = ({ onlyThrough }: Room, target: string): string => (onlyThrough?.[target] ? "-. in part .->" : "-->");

function table(rooms: readonly Room[]): string {
  const rows = rooms.map(
    ({ name, holds, side, mayImport, mayUse }) =>
      `| ${name} | ${holds} | ${side === "outside" ? "every room" : listed(mayImport)} | ${side === "outside" ? "everything installed" : listed(mayUse)} |`,
  );
  return ["| room | here live | imports | uses |", "|---|---|---|---|", ...rows].join("\n");
}

const listed = (names: readonly string[]): string =>
  names.length === 0 ? "–" : names.map((name) => `\`${name}\``).join(", ");

if (import.meta.main) {
  const path = join(import.meta.dirname, "../ARCHITECTURE.md");
  writeFileSync(path, withPicture(readFileSync(path, "utf8"), rooms));
}
