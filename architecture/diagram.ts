import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Module, modules } from "./modules.ts";

const begin = "<!-- diagram: begin. Generated from architecture/modules.ts by `npm run diagram` -->";
const end = "<!-- diagram: end -->";

/** Replaces the diagram and the table between the two markers. */
export function withDiagram(document: string, modules: readonly Module[]): string {
  const [before, rest] = document.split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined)
    throw new Error(`The document lacks the markers ${begin} and ${end}`);
  return `${before}${begin}\n\n${diagram(modules)}\n\n${table(modules)}\n\n${end}${after}`;
}

/** Arrows are imports. Modules that import all others are left out: their arrows would cover the diagram. */
function diagram(modules: readonly Module[]): string {
  const shown = modules.filter(({ layer }) => layer !== "composition");
  const layers = Object.entries(Object.groupBy(shown, ({ layer }) => layer));
  const groups = layers.flatMap(([layer, members]) => [
    `  subgraph ${layer}`,
    ...members.map(({ name }) => `    ${name}`),
    "  end",
  ]);
  const arrows = shown.flatMap((module) =>
    module.imports.map((target) => `  ${module.name} ${arrow(module, target)} ${target}`),
  );
  return ["```mermaid", "flowchart LR", ...groups, ...arrows, "```"].join("\n");
}

const arrow = ({ onlyFiles }: Module, target: string): string => (onlyFiles?.[target] ? "-. in part .->" : "-->");

function table(modules: readonly Module[]): string {
  const rows = modules.map(
    ({ name, contains, layer, imports, packages }) =>
      `| ${name} | ${contains} | ${layer === "composition" ? "every module" : listed(imports)} | ${layer === "composition" ? "every installed package" : listed(packages)} |`,
  );
  return ["| module | contents | imports | packages |", "|---|---|---|---|", ...rows].join("\n");
}

const listed = (names: readonly string[]): string =>
  names.length === 0 ? "–" : names.map((name) => `\`${name}\``).join(", ");

if (import.meta.main) {
  const path = join(import.meta.dirname, "../ARCHITECTURE.md");
  writeFileSync(path, withDiagram(readFileSync(path, "utf8"), modules));
}
