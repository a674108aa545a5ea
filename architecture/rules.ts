import type { MemberExpression, Node } from "oxc-parser";
import {
  entryPoints,
  importableByAll,
  lowerLimits,
  mailClient,
  type Module,
  maxLines,
  modules,
  pureFiles,
  tlsClients,
  vagueWords,
} from "./modules.ts";
import { type Import, importsOf, type Source, visit } from "./source.ts";

/** Reads all sources and returns each violation: the file, and what it does. */
export type Rule = (sources: readonly Source[]) => string[];

export const everyFileHasAModule: Rule = (sources) => sources.map(({ file }) => file).filter((file) => !moduleOf(file));

export const importsAreAllowed: Rule = forEachSource((source) => {
  const module = moduleOf(source.file);
  if (!module) return [];
  const forbidden = importsOf(source).filter((it) => !isAllowed(module, source.file, it));
  return forbidden.map(({ target }) => target ?? "a specifier computed at run time");
});

function isAllowed(module: Module, file: string, { target, isInternal }: Import): boolean {
  if (target === undefined) return false;
  const imported = moduleOf(target);
  if (!imported) return !isInternal && module.packages.some((pattern) => covers(pattern, target));
  if (imported === module) return isSamePart(subsystemOf(file), subsystemOf(target), file);
  if (file.startsWith("daemon/src/") && importableByAll.has(imported.name)) return true;
  const visible = module.onlyFiles?.[imported.name];
  return module.imports.includes(imported.name) && (visible === undefined || visible.test(target));
}

/** A permission that no file uses would make the diagram show an import that does not exist. */
export const permissionsAreUsed: Rule = (sources) => {
  const used = new Set(
    sources.flatMap((source) =>
      importsOf(source).map(({ target = "" }) => `${moduleOf(source.file)?.name} → ${moduleOf(target)?.name}`),
    ),
  );
  return modules
    .flatMap(({ name, imports }) => imports.map((target) => `${name} → ${target}`))
    .filter((permission) => !used.has(permission));
};

/** Subsystems, pages and planes do not import each other. Files directly in `planes/` import all planes. */
const isSamePart = (own: string | undefined, other: string | undefined, file: string): boolean =>
  other === undefined || other === own || (own === undefined && file.startsWith("daemon/src/planes/"));

const moduleOf = (file: string): Module | undefined => modules.find(({ files }) => files.test(file));

/** `undefined` for files directly in `subsystems/`, `pages/` or `planes/`: their subfolders share these. */
const subsystemOf = (file: string): string | undefined => /\/(?:subsystems|pages|planes)\/([^/]+)\//.exec(file)?.[1];

/** `ajv` covers `ajv/dist/2020.js`. */
function covers(pattern: string, specifier: string): boolean {
  if (pattern.endsWith("*")) return specifier.startsWith(pattern.slice(0, -1));
  return specifier === pattern || specifier.startsWith(`${pattern}/`);
}

/** Type imports count: a type that two files share belongs into a third file. */
export const noImportCycles: Rule = (sources) => {
  const next = new Map(sources.map((it) => [it.file, importsOf(it)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  function follow(file: string, trail: readonly string[]): void {
    if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file].join(" → "));
    if (done.has(file) || trail.includes(file)) return;
    for (const { target } of next.get(file) ?? []) if (target !== undefined) follow(target, [...trail, file]);
    done.add(file);
  }
  for (const { file } of sources) follow(file, []);
  return cycles;
};

/** The same input must give the same output, at any time and on any machine. */
export const pureFilesHaveNoSideEffects: Rule = forEachSource((source) => {
  if (!pureFiles.test(source.file)) return [];
  const impure: string[] = importsOf(source)
    .map(({ target = "" }) => target)
    .filter(
      (target) =>
        target.startsWith("node:") || target.startsWith("daemon/src/system/") || target.endsWith(".engine.ts"),
    );
  const addAsync = (node: { async: boolean }) => void (node.async && impure.push("async"));
  visit(source, {
    MemberExpression: (node) => {
      const path = `${nameOf(node.object)}.${propertyName(node)}`;
      if (clockAndRandom.has(path) || impureObjects.has(nameOf(node.object))) impure.push(path);
    },
    NewExpression: ({ callee, arguments: values }) => {
      if (nameOf(callee) === "Date" && values.length === 0) impure.push("new Date()");
    },
    CallExpression: ({ callee }) => {
      if (impureCalls.has(nameOf(callee))) impure.push(`${nameOf(callee)}()`);
    },
    Identifier: ({ name }) => void (name === "Promise" && impure.push("Promise")),
    AwaitExpression: () => void impure.push("await"),
    FunctionDeclaration: addAsync,
    FunctionExpression: addAsync,
    ArrowFunctionExpression: addAsync,
  });
  return impure;
});

const clockAndRandom: ReadonlySet<string> = new Set(["Date.now", "Math.random", "Temporal.Now"]);
const impureObjects: ReadonlySet<string> = new Set(["process", "performance", "crypto", "console", "globalThis"]);
const impureCalls: ReadonlySet<string> = new Set([
  "Date",
  "fetch",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
]);

/** Modules get values of arguments and environment as parameters, so that tests can pass others. */
export const onlyEntryPointsReadProcess: Rule = forEachSource((source) => {
  if (entryPoints.test(source.file)) return [];
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

/** Programs are started with a list of arguments: no shell parses a command. */
export const noShells: Rule = forEachSource((source) => {
  const spawners = importsOf(source).filter(({ target = "" }) => /^(?:node:)?child_process$/.test(target));
  const shells: string[] = spawners
    .flatMap(({ names, typeOnly }) => (typeOnly ? [] : namesOr(names, "*")))
    .filter((name) => ["exec", "execSync", "default", "*"].includes(name))
    .map((name) => `${name} of node:child_process`);
  visit(source, {
    Property: ({ key, value }) => {
      const isSet = value.type === "Literal" ? Boolean(value.value) : spawners.length > 0;
      if (textOf(key) === "shell" && isSet) shells.push("shell: …");
    },
    CallExpression: ({ arguments: [program, list] }) => {
      const name = program?.type === "Literal" ? String(program.value) : "";
      if (list?.type === "ArrayExpression" && /^(?:\/.*\/)?(?:ba|da|z|k)?sh$/.test(name))
        shells.push(`a call of ${name}`);
    },
  });
  return shells;
});

/** A TLS client of its own would offer what its library does, whatever the mode of post-quantum key exchange requires. */
export const tlsSessionsHaveTheMode: Rule = forEachSource((source) => {
  if (!source.file.startsWith("daemon/src/") || tlsClients.test(source.file)) return [];
  const used: string[] = importsOf(source)
    .filter(({ typeOnly }) => !typeOnly)
    .flatMap(({ target = "", names }) => {
      if (target === "nodemailer") return source.file === mailClient ? [] : [target];
      const module = target.replace(/^node:/, "");
      const harmless = harmlessOfTls[module];
      if (harmless)
        return namesOr(names, "*")
          .filter((it) => !harmless.has(it))
          .map((it) => `${it} of node:${module}`);
      return /^(?:undici|axios|got|ws|node-fetch|inspector)(?:\/|$)/.test(module) ? [target] : [];
    });
  visit(source, {
    CallExpression: ({ callee }) => {
      const path =
        callee.type === "MemberExpression" ? `${nameOf(callee.object)}.${propertyName(callee)}` : nameOf(callee);
      if (["fetch", "globalThis.fetch"].includes(path)) used.push("fetch()");
    },
    NewExpression: ({ callee }) => {
      if (["WebSocket", "EventSource", "TLSSocket"].includes(nameOf(callee))) used.push(`new ${nameOf(callee)}()`);
    },
  });
  return used;
});

/** Of the modules that can open a session, what opens none. `TLSSocket` is for `instanceof`. */
const harmlessOfTls: Readonly<Record<string, ReadonlySet<string>>> = {
  tls: new Set(["checkServerIdentity", "createSecureContext", "Server", "TLSSocket"]),
  https: new Set(["createServer", "Server"]),
  http2: new Set(["constants"]),
};

/** An import without names, such as a dynamic one, imports everything. */
const namesOr = (names: Import["names"], all: string): string[] =>
  names.length === 0 ? [all] : names.map(({ imported }) => imported);

/** An export has the same name in every importing file. */
export const noDefaultExports: Rule = forEachSource((source) => {
  const defaults: string[] = [];
  visit(source, {
    ExportDefaultDeclaration: () => void defaults.push("export default"),
    ExportSpecifier: ({ exported }) => {
      if (exported.type === "Identifier" && exported.name === "default") defaults.push("export { … as default }");
    },
  });
  return defaults;
});

export const fileNamesAreSpecific: Rule = (sources) =>
  sources.flatMap(({ file }) =>
    wordsOf(file.replace(/\.tsx?$/, ""))
      .filter((word) => vagueWords.has(word))
      .map((word) => `${file} contains ${word}`),
  );

const wordsOf = (path: string): string[] =>
  path
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);

export const filesAreShort: Rule = (sources) =>
  sources
    .map(({ file, text }) => ({ file, lines: text.trimEnd().split("\n").length }))
    .filter(({ file, lines }) => lines > (lowerLimits.find(({ files }) => files.test(file))?.lines ?? maxLines))
    .map(({ file, lines }) => `${file} has ${lines} lines`);

function forEachSource(violations: (source: Source) => readonly string[]): Rule {
  return (sources) =>
    sources.flatMap((source) => [...new Set(violations(source))].map((it) => `${source.file} → ${it}`));
}

const nameOf = (node: Node): string => (node.type === "Identifier" ? node.name : "");

const propertyName = ({ property, computed }: MemberExpression): string =>
  computed && property.type === "Identifier" ? "" : textOf(property);

/** The text of a key, with or without quotes. */
const textOf = (node: Node): string => (node.type === "Literal" ? String(node.value) : nameOf(node));
