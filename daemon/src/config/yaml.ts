import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import { below, type Finding, onOneLine } from "./mistake.ts";

interface Position {
  readonly line: number;
  readonly column: number;
}

type Yaml =
  | { readonly kind: "broken"; readonly errors: readonly { readonly position: Position; readonly message: string }[] }
  | {
      readonly kind: "read";
      readonly value: unknown;
      readonly findings: readonly Finding[];
      readonly positionOf: (pointer: string, at: Finding["at"]) => Position;
    };

/** Parses YAML text into plain values with their positions. Aliases and tags are refused. */
export function readYaml(text: string): Yaml {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const errors = [...document.errors, ...document.warnings];
  if (errors.length > 0)
    return {
      kind: "broken",
      errors: withoutEchoes(errors).map((it) => ({ position: positionAt(it.pos[0]), message: describe(it) })),
    };
  const { value, findings, offsets } = walk(document.contents, (offset) => positionAt(offset).line);
  return {
    kind: "read",
    value,
    findings,
    positionOf: (pointer, at) => positionAt(nearestOffset(offsets, pointer, at)),
  };
}

interface Offsets {
  readonly key: number;
  readonly value: number;
}

/** No key is deeper than `auth.api_keys[0].role`. Much deeper text is a mistake, or an attack on the call stack. */
const maxDepth = 8;

function walk(root: Node | null, lineOf: (offset: number) => number) {
  const findings: Finding[] = [];
  const offsets = new Map<string, Offsets>();
  const complain = (pointer: string, message: string, at: Finding["at"] = "value"): undefined =>
    void findings.push({ pointer, at, message });

  function plain(node: unknown, pointer: string, depth: number): unknown {
    if (depth > maxDepth) return complain(pointer, "is nested too deeply");
    if (isAlias(node)) return complain(pointer, "is an alias; write the value out");
    if (isMap(node)) return map(node, pointer, depth);
    if (isSeq(node))
      return node.items.map((item, index) => {
        const there = below(pointer, index);
        offsets.set(there, { key: offsetOf(item, 0), value: offsetOf(item, 0) });
        return plain(item, there, depth + 1) ?? null;
      });
    return isScalar(node) ? node.value : null;
  }

  function map(node: YAMLMap, pointer: string, depth: number): Record<string, unknown> {
    const entries = new Map<string, unknown>();
    for (const { key, value } of node.items) {
      const keyOffset = offsetOf(key, offsetOf(node, 0));
      if (!isScalar(key)) {
        complain(pointer, "has a key that is not plain text");
        continue;
      }
      const name = String(key.value);
      const there = below(pointer, name);
      const first = offsets.get(there);
      offsets.set(there, { key: keyOffset, value: isEmpty(value) ? keyOffset : offsetOf(value, keyOffset) });
      if (first) complain(there, `is given twice, first on line ${lineOf(first.key)}`, "key");
      const inner = plain(value, there, depth + 1);
      if (inner !== undefined) entries.set(name, inner);
    }
    return Object.fromEntries(entries);
  }

  offsets.set("", { key: offsetOf(root, 0), value: offsetOf(root, 0) });
  return { value: plain(root, "", 0), findings, offsets };
}

const isEmpty = (node: unknown): boolean => isScalar(node) && (node.source ?? "") === "" && node.value === null;

const offsetOf = (node: unknown, otherwise: number): number => (node as Node | null)?.range?.[0] ?? otherwise;

/** The position of a pointer; if the file does not contain it, the position of its closest parent. */
function nearestOffset(offsets: ReadonlyMap<string, Offsets>, pointer: string, at: Finding["at"]): number {
  const found = offsets.get(pointer);
  if (found) return found[at];
  return nearestOffset(offsets, pointer.slice(0, pointer.lastIndexOf("/")), "key");
}

/** After a stack overflow of the parser, its other errors are meaningless. */
function withoutEchoes(errors: readonly YAMLError[]): readonly YAMLError[] {
  const exhausted = errors.find(isExhausted);
  return exhausted ? [exhausted] : errors;
}

const isExhausted = ({ code }: YAMLError): boolean => code === "RESOURCE_EXHAUSTION";

function describe(error: YAMLError): string {
  if (isExhausted(error)) return "the text is nested too deeply to be parsed";
  if (error.code === "TAB_AS_INDENT") return "a tab is used for indentation, where YAML requires spaces";
  if (error.code === "MULTIPLE_DOCS") return "a second document starts here; the file may contain one only";
  if (error.code === "TAG_RESOLVE_FAILED") return "tags are not supported; write the plain value";
  return `this is not YAML: ${onOneLine(error.message)}`;
}
