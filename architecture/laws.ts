import type { MemberExpression, Node } from "oxc-parser";
import { emptyWords, mostLines, processEdges, pureFiles, type Room, rooms, shorter } from "./rooms.ts";
import { type Import, importsOf, type Source, visit } from "./source.ts";

/** A law looks at all sources and names every offence: which file, and what it does. */
export type Law = (sources: readonly Source[]) => string[];

export const everyFileHasARoom: Law = (sources) => sources.map(({ file }) => file).filter((file) => !roomOf(file));

export const importsFollowTheArrows: Law = forEachSource((source) => {
  const here = roomOf(source.file);
  if (!here) return [];
  const unlawful = importsOf(source).filter((it) => !isLawful(here, source.file, it));
  return unlawful.map(({ target }) => target ?? "something computed at run time");
});

function isLawful(here: Room, file: string, { target, isOurs }: Import): boolean {
  if (target === undefined) return false;
  const there = roomOf(target);
  if (!there) return !isOurs && here.mayUse.some((pattern) => covers(pattern, target));
  if (there === here) return isOwnPart(subsystemOf(file), subsystemOf(target), file);
  const door = here.onlyThrough?.[there.name];
  return here.mayImport.includes(there.name) && (door === undefined || door.test(target));
}

/** Subsystems, pages and planes do not know each other. What stands beside the planes opens all of them. */
const isOwnPart = (own: string | undefined, other: string | undefined, file: string): boolean =>
  other === undefined || other === own || (own === undefined && file.startsWith("daemon/src/planes/"));

const roomOf = (file: string): Room | undefined => rooms.find(({ files }) => files.test(file));

/** Furniture that every subsystem or page uses stands in a room of its own, in no subsystem's or page's folder. */
const subsystemOf = (file: string): string | undefined => /\/(?:subsystems|pages|planes)\/([^/]+)\//.exec(file)?.[1];

/** `ajv` covers `ajv/dist/2020.js`. */
function covers(pattern: string, specifier: string): boolean {
  if (pattern.endsWith("*")) return specifier.startsWith(pattern.slice(0, -1));
  return specifier === pattern || specifier.startsWith(`${pattern}/`);
}

/** Two files that need each other are one file, or three. Types count: one that two files share has a file of its own. */
export const noImportCircles: Law = (sources) => {
  const next = new Map(sources.map((it) => [it.file, importsOf(it)]));
  const done = new Set<string>();
  const circles: string[] = [];
  function follow(file: string, trail: readonly string[]): void {
    if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(" → "));
    if (done.has(file) || trail.includes(file)) return;
    for (const { target } of next.get(file) ?? []) if (target !== undefined) follow(target, [...trail, file]);
    done.add(file);
  }
  for (const { file } of sources) follow(file, []);
  return circles;
};

/** The same input must give the same output, at any time and on any machine. */
export const pureFilesStayPure: Law = forEachSource((source) => {
  if (!pureFiles.test(source.file)) return [];
  const impure: string[] = importsOf(source)
    .map(({ target = "" }) => target)
    .filter(
      (target) =>
        target.startsWith("node:") || target.startsWith("daemon/src/system/") || target.endsWith(".engine.ts"),
    );
  const waits = (node: { async: boolean }) => void (node.async && impure.push("async"));
  visit(source, {
    MemberExpression: (node) => {
      const path = `${nameOf(node.object)}.${propertyName(node)}`;
      if (clocksAndDice.has(path) || worldlyObjects.has(nameOf(node.object))) impure.push(path);
    },
    NewExpression: ({ callee, arguments: given }) => {
      if (nameOf(callee) === "Date" && given.length === 0) impure.push("new Date()");
    },
    CallExpression: ({ callee }) => {
      if (worldlyCalls.has(nameOf(callee))) impure.push(`${nameOf(callee)}()`);
    },
    Identifier: ({ name }) => void (name === "Promise" && impure.push("Promise")),
    AwaitExpression: () => void impure.push("await"),
    FunctionDeclaration: waits,
    FunctionExpression: waits,
    ArrowFunctionExpression: waits,
  });
  return impure;
});

const clocksAndDice: ReadonlySet<string> = new Set(["Date.now", "Math.random", "Temporal.Now"]);
const worldlyObjects: ReadonlySet<string> = new Set(["process", "performance", "crypto", "console", "globalThis"]);
const worldlyCalls: ReadonlySet<string> = new Set([
  "Date",
  "fetch",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
]);

/** What a room needs of arguments and environment is handed to it, so that tests can hand it something else. */
export const processIsReadAtTheEdge: Law = forEachSource((source) => {
  if (processEdges.test(source.file)) return [];
  const read: string[] = importsOf(source)
    .filter(({ target }) => target === "node:process")
    .flatMap(({ names }) => names)
    .filter(
      ({ imported, local }) =>
        ["env", "argv"].includes(imported) || (["default", "*"].includes(imported) && local !== "process"),
    )
    .map(({ imported }) => `${imported} of node:process`);
  visit(source, {
    MemberExpression: (node) => {
      const name = propertyName(node);
      if (isProcess(node.object) && ["env", "argv"].includes(name)) read.push(`process.${name}`);
    },
    VariableDeclarator: ({ id, init }) => {
      if (id.type === "ObjectPattern" && init && isProcess(init)) read.push("{ … } = process");
    },
  });
  return read;
});

const isProcess = (node: Node): boolean =>
  nameOf(node) === "process" ||
  (node.type === "MemberExpression" && nameOf(node.object) === "globalThis" && propertyName(node) === "process");

/** A program and a list of arguments: nothing is ever parsed by a shell. */
export const noShells: Law = forEachSource((source) => {
  const starts = importsOf(source).filter(({ target = "" }) => /^(?:node:)?child_process$/.test(target));
  const shells: string[] = starts
    .flatMap(({ names, typeOnly }) => (typeOnly ? [] : namesOr(names, "*")))
    .filter((name) => ["exec", "execSync", "default", "*"].includes(name))
    .map((name) => `${name} of node:child_process`);
  visit(source, {
    Property: ({ key, value }) => {
      const chosen = value.type === "Literal" ? Boolean(value.value) : starts.length > 0;
      if (textOf(key) === "shell" && chosen) shells.push("shell: …");
    },
    CallExpression: ({ arguments: [program, words] }) => {
      const name = program?.type === "Literal" ? String(program.value) : "";
      if (words?.type === "ArrayExpression" && /^(?:\/.*\/)?(?:ba|da|z|k)?sh$/.test(name))
        shells.push(`a call of ${name}`);
    },
  });
  return shells;
});

/** An import that names nothing, such as a dynamic one, brings everything. */
const namesOr = (names: Import["names"], all: string): string[] =>
  names.length === 0 ? [all] : names.map(({ imported }) => imported);

/** A thing has one name, the same wherever it is imported. */
export const noDefaultExports: Law = forEachSource((source) => {
  const defaults: string[] = [];
  visit(source, {
    ExportDefaultDeclaration: () => void defaults.push("export default"),
    ExportSpecifier: ({ exported }) => {
      if (exported.type === "Identifier" && exported.name === "default") defaults.push("export { … as default }");
    },
  });
  return defaults;
});

export const namesSaySomething: Law = (sources) =>
  sources.flatMap(({ file }) =>
    wordsOf(file.replace(/\.tsx?$/, ""))
      .filter((word) => emptyWords.has(word))
      .map((word) => `${file} is called ${word}`),
  );

const wordsOf = (path: string): string[] =>
  path
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);

export const filesAreShort: Law = (sources) =>
  sources
    .map(({ file, text }) => ({ file, lines: text.trimEnd().split("\n").length }))
    .filter(({ file, lines }) => lines > (shorter.find(({ files }) => files.test(file))?.lines ?? mostLines))
    .map(({ file, lines }) => `${file} has ${lines} lines`);

function forEachSource(offences: (source: Source) => readonly string[]): Law {
  return (sources) => sources.flatMap((source) => [...new Set(offences(source))].map((it) => `${source.file} → ${it}`));
}

const nameOf = (node: Node): string => (node.type === "Identifier" ? node.name : "");

const propertyName = ({ property, computed }: MemberExpression): string =>
  computed && property.type === "Identifier" ? "" : textOf(property);

/** What a key says, written as a word or in quotes. */
const textOf = (node: Node): string => (node.type === "Literal" ? String(node.value) : nameOf(node));
