import type { Difference } from "@portcullis/contract/subsystems/history";
import type { Hop, Policy } from "@portcullis/contract/subsystems/routing";
import type { Words } from "../i18n/en/en.ts";

type Say = Words["differences"]["fields"];
type Field = Difference["fields"][number];
type NameOf = (word: string) => string;

/** An added or removed policy, completed: its fields have one side only, and empty ones are omitted. */
export function policyOf({ kind, change, fields }: Difference): Policy | undefined {
  if (kind !== "routing_policy" || change === "changed") return undefined;
  const side = change === "added" ? "after" : "before";
  const values = Object.fromEntries(fields.map((it) => [it.field, it[side]]));
  if (typeof values["source_type"] !== "string") return undefined;
  return { hops: [], profile_id: null, splitting: false, source_value: "", ...values } as unknown as Policy;
}

/** Fields that identify a resource without a name. */
const naming = ["domain", "pattern", "rule", "key", "url", "address", "value"];

/** A readable label: the name, else an identifying field, else the id. */
export function titleOf({ name, id, fields }: Difference): string {
  if (name !== "" && name !== id) return name;
  const told = naming.flatMap((wanted) => fields.filter(({ field }) => field === wanted))[0];
  const value = told?.after ?? told?.before;
  return typeof value === "string" && value !== "" ? value : isId.test(id) ? "" : id;
}

const isId = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

/** Phrases for the fields that have one. The other fields stay in the details. */
export function phrasesOf(
  { kind, change, fields }: Difference,
  say: Say,
  sources: Words["paths"]["sources"],
  nameOf: NameOf,
): string[] {
  if (change !== "changed") return kind === "profile" ? pathPhrases(fields, change, say, nameOf) : [];
  const told = fields.flatMap((field) => phraseOf(field, say, nameOf) ?? []);
  const source = sourcePhrase(fields, say, sources, nameOf);
  return source === undefined ? told : [...told, source];
}

/** The path of an added or removed profile. */
function pathPhrases(fields: readonly Field[], change: "added" | "removed", say: Say, nameOf: NameOf): string[] {
  const valueOf = (name: string) =>
    fields.find(({ field }) => field === name)?.[change === "added" ? "after" : "before"];
  const hops = valueOf("hops");
  const through = throughOf(hops, say, nameOf);
  return Array.isArray(hops) && hops.length > 0 ? [through, failOf(valueOf("fail_policy"), say)] : [through];
}

function phraseOf({ field, before, after }: Field, say: Say, nameOf: NameOf): string | undefined {
  switch (field) {
    case "priority":
      return say.priority(Number(before), Number(after));
    case "enabled":
      return say.switched(after === true);
    case "name":
      return say.renamed(String(before));
    case "splitting":
      return say.split(after === true);
    case "hops":
      return say.through(throughOf(before, say, nameOf), throughOf(after, say, nameOf));
    case "profile_id":
      return say.profile(named(before, nameOf), named(after, nameOf));
    case "fail_policy":
      return say.failsNow(failOf(after, say), failOf(before, say));
    default:
      return undefined;
  }
}

const throughOf = (hops: unknown, say: Say, nameOf: NameOf): string =>
  say.hops(Array.isArray(hops) ? (hops as Hop[]).map(({ target }) => nameOf(target)) : []);
const named = (id: unknown, nameOf: NameOf): string | null => (typeof id === "string" ? nameOf(id) : null);
const failOf = (value: unknown, say: Say): string => say.fails[value as keyof Say["fails"]] ?? String(value);

/** Type and value of a source are described together; the unchanged half is not among the fields. */
function sourcePhrase(
  fields: readonly Field[],
  say: Say,
  sources: Words["paths"]["sources"],
  nameOf: NameOf,
): string | undefined {
  const value = fields.find(({ field }) => field === "source_value");
  const type = fields.find(({ field }) => field === "source_type");
  if (!value && !type) return undefined;
  const side = (which: "before" | "after"): string => {
    const word = nameOf(written(value?.[which]));
    const telling = sources[type?.[which] as keyof typeof sources] as ((word: string) => string) | undefined;
    return telling ? telling(word) : word;
  };
  return say.source(side("after"), side("before"));
}

/** A value as text of several lines, so that two values can be compared line by line. */
export const written = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value, null, 2);

export interface DiffLine {
  readonly mark: "same" | "gone" | "new";
  readonly text: string;
}

/** Removed and added lines by the longest common subsequence. Values here are short. */
export function linesOf(before: string, after: string): DiffLine[] {
  const [a, b] = [split(before), split(after)];
  const common: number[][] = Array.from({ length: a.length + 1 }, () => Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i]![j] = a[i] === b[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ mark: "same", text: a[i]! });
      [i, j] = [i + 1, j + 1];
    } else if (i < a.length && (j === b.length || common[i + 1]![j]! >= common[i]![j + 1]!))
      lines.push({ mark: "gone", text: a[i++]! });
    else lines.push({ mark: "new", text: b[j++]! });
  }
  return lines;
}

const split = (text: string): string[] => (text === "" ? [] : text.split("\n").slice(0, 500));
