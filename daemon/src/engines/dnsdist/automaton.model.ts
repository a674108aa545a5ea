import { type Expression, parseRegex, type Refusal } from "./regex.parse.ts";

/** A regular expression that takes one step for each byte, whatever the name: no pattern can make the resolver slow. */
export interface Automaton {
  readonly kind: "automaton";
  /** It begins in state 0. */
  readonly states: number;
  readonly classes: number;
  /** Byte → class: bytes of one class are equivalent. */
  readonly classOf: Uint8Array;
  /** By state: 1 where a text may end. */
  readonly accepting: Uint8Array;
  /** By state × classes + class. */
  readonly next: Uint16Array;
}

/** More is not affordable: each state costs some hundred bytes in every resolver. */
const mostStates = 1000;
const mostNodes = 2000;

/** Finds the pattern anywhere in a text, unless `^` or `$` say where; letters have no case. */
export function automatonOf(pattern: string): Automaton | Refusal {
  const expression = parseRegex(pattern);
  if (expression.kind === "refused") return expression;
  if (nodesOf(expression) > mostNodes) return tooLarge;
  const automaton = determined(nodesFor(expression));
  return automaton ? minimal(automaton) : tooLarge;
}

export type Compile = (pattern: string) => Automaton | Refusal;

/** The same with memoization, for a filter policy that is rendered repeatedly. */
export function memoizingCompiler(maxPatterns = 4096): Compile {
  const known = new Map<string, Automaton | Refusal>();
  return (pattern) => {
    const compiled = known.get(pattern) ?? automatonOf(pattern);
    if (known.size >= maxPatterns) known.clear();
    known.set(pattern, compiled);
    return compiled;
  };
}

const tooLarge: Refusal = {
  kind: "refused",
  reason: `not affordable: it takes more than ${mostStates} states`,
  position: 0,
};

export function accepts({ classes, classOf, accepting, next }: Automaton, text: Uint8Array): boolean {
  let state = 0;
  for (let at = 0; at < text.length; at += 1) state = next[state * classes + classOf[text[at]!]!]!;
  return accepting[state] === 1;
}

/** A step that may be taken: by a byte, or without one. */
type Node =
  | { readonly kind: "byte"; readonly among: Uint8Array; readonly to: number }
  | { readonly kind: "start" | "end" | "either"; readonly to: number[] };

interface Nodes {
  readonly nodes: readonly Node[];
  readonly first: number;
}

/** The accepting state. */
const found = 0;

function nodesOf(it: Expression): number {
  switch (it.kind) {
    case "byte":
    case "start":
    case "end":
      return 1;
    case "sequence":
      return it.parts.reduce((sum, part) => sum + nodesOf(part), 0);
    case "choice":
      return it.options.reduce((sum, option) => sum + nodesOf(option), 1);
    case "repeat":
      return (nodesOf(it.of) + 1) * Math.max(1, it.most ?? it.least + 1);
  }
}

function nodesFor(expression: Expression): Nodes {
  const nodes: Node[] = [{ kind: "either", to: [] }];
  const put = (node: Node): number => nodes.push(node) - 1;
  function lead(it: Expression, to: number): number {
    switch (it.kind) {
      case "byte":
        return put({ ...it, to });
      case "start":
      case "end":
        return put({ kind: it.kind, to: [to] });
      case "sequence":
        return it.parts.reduceRight((next, part) => lead(part, next), to);
      case "choice":
        return put({ kind: "either", to: it.options.map((option) => lead(option, to)) });
      case "repeat":
        return repeat(it, to);
    }
  }
  function repeat({ of, least, most }: Extract<Expression, { kind: "repeat" }>, to: number): number {
    let first = to;
    if (most === null) {
      const branches: number[] = [to];
      first = put({ kind: "either", to: branches });
      branches.push(lead(of, first));
    } else
      for (let left = most - least; left > 0; left -= 1) first = put({ kind: "either", to: [lead(of, first), to] });
    for (let left = least; left > 0; left -= 1) first = lead(of, first);
    return first;
  }
  return { first: lead(expression, found), nodes };
}

/** Every set of nodes one may stand on at the same time becomes one state. */
function determined({ nodes, first }: Nodes): Automaton | undefined {
  const { classOf, examples } = classesOf(nodes);
  const anew = reach(nodes, [first], { atStart: false, atEnd: false });
  const start = reach(nodes, [first], { atStart: true, atEnd: false });
  const sets = [start];
  const numbers = new Map<string, number>();
  const accepting: number[] = [];
  const next: number[] = [];
  for (let state = 0; state < sets.length; state += 1) {
    const here = sets[state]!;
    const isFound = here.has(found);
    accepting.push(isFound || reach(nodes, here, { atStart: state === 0, atEnd: true }).has(found) ? 1 : 0);
    for (const example of examples) {
      const there = isFound ? new Set([found]) : reach(nodes, steps(nodes, here, example), notAtAnEdge, anew);
      const key = there.has(found) ? "found" : [...there].sort((one, other) => one - other).join();
      let number = numbers.get(key);
      if (number === undefined) {
        number = sets.push(there) - 1;
        numbers.set(key, number);
      }
      next.push(number);
    }
    if (sets.length > mostStates) return undefined;
  }
  return {
    kind: "automaton",
    states: sets.length,
    classes: examples.length,
    classOf,
    accepting: Uint8Array.from(accepting),
    next: Uint16Array.from(next),
  };
}

interface Edge {
  readonly atStart: boolean;
  readonly atEnd: boolean;
}

const notAtAnEdge: Edge = { atStart: false, atEnd: false };

/** All nodes that can be stood on without a further byte. */
function reach(nodes: readonly Node[], from: Iterable<number>, edge: Edge, already?: Iterable<number>): Set<number> {
  const reached = new Set(already);
  const open = [...from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const node = nodes[at]!;
    if (reached.has(at)) continue;
    reached.add(at);
    const isOpen = node.kind === "either" || (node.kind === "start" ? edge.atStart : node.kind === "end" && edge.atEnd);
    if (isOpen && node.kind !== "byte") open.push(...node.to);
  }
  return reached;
}

function* steps(nodes: readonly Node[], from: Iterable<number>, byte: number): Iterable<number> {
  for (const at of from) {
    const node = nodes[at]!;
    if (node.kind === "byte" && node.among[byte] === 1) yield node.to;
  }
}

/** Classes of equivalent bytes, and one byte of each. */
function classesOf(nodes: readonly Node[]): { readonly classOf: Uint8Array; readonly examples: readonly number[] } {
  const marks = Array.from({ length: 256 }, () => "");
  const byteSets = new Set(nodes.map((node) => (node.kind === "byte" ? node.among : undefined)));
  for (const among of byteSets)
    if (among) for (let byte = 0; byte < 256; byte += 1) marks[byte] += among[byte] === 1 ? "1" : "0";
  const kinds = [...new Set(marks)];
  return {
    classOf: Uint8Array.from(marks, (mark) => kinds.indexOf(mark)),
    examples: kinds.map((kind) => marks.indexOf(kind)),
  };
}

/** Merges equivalent states: partitioned by acceptance, then by their transitions, until nothing changes. */
function minimal(it: Automaton): Automaton {
  let groups = Uint16Array.from(it.accepting);
  for (let count = 0; ; ) {
    const names = new Map<string, number>();
    const finer = groups.map((group, state) => {
      const leads = it.next.subarray(state * it.classes, (state + 1) * it.classes).map((next) => groups[next]!);
      const key = `${group}:${leads.join()}`;
      return names.get(key) ?? (names.set(key, names.size), names.size - 1);
    });
    groups = finer;
    if (names.size === count) break;
    count = names.size;
  }
  const states = Math.max(...groups) + 1;
  const members = Array.from({ length: states }, (_, group) => groups.indexOf(group));
  return {
    ...it,
    states,
    accepting: Uint8Array.from(members, (state) => it.accepting[state]!),
    next: Uint16Array.from(
      members.flatMap((state) =>
        Array.from({ length: it.classes }, (_, at) => groups[it.next[state * it.classes + at]!]!),
      ),
    ),
  };
}
