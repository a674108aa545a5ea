import type { Difference } from "@portcullis/contract/subsystems/history";
import type { Hop, Policy } from "@portcullis/contract/subsystems/routing";
import type { Messages } from "../i18n/en/en.ts";

type Texts = Messages["differences"]["fields"];
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
const identifyingFields = ["domain", "pattern", "rule", "key", "url", "address", "value"];

/** A readable label: the name, else an identifying field, else the id. */
export function titleOf({ name, id, fields }: Difference): string {
  if (name !== "" && name !== id) return name;
  const phrases = identifyingFields.flatMap((wanted) => fields.filter(({ field }) => field === wanted))[0];
  const value = phrases?.after ?? phrases?.before;
  return typeof value === "string" && value !== "" ? value : isId.test(id) ? "" : id;
}

const isId = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

/** Phrases for the fields that have one. The other fields stay in the details. */
export function phrasesOf(
  { kind, change, fields }: Difference,
  t: Texts,
  sources: Messages["paths"]["sources"],
  nameOf: NameOf,
): string[] {
  if (change !== "changed") return kind === "profile" ? pathPhrases(fields, change, t, nameOf) : [];
  const phrases = fields.flatMap((field) => phraseOf(field, t, nameOf) ?? []);
  const source = sourcePhrase(fields, t, sources, nameOf);
  return source === undefined ? phrases : [...phrases, source];
}

/** The path of an added or removed profile. */
function pathPhrases(fields: readonly Field[], change: "added" | "removed", t: Texts, nameOf: NameOf): string[] {
  const valueOf = (name: string) =>
    fields.find(({ field }) => field === name)?.[change === "added" ? "after" : "before"];
  const hops = valueOf("hops");
  const through = throughOf(hops, t, nameOf);
  return Array.isArray(hops) && hops.length > 0 ? [through, failOf(valueOf("fail_policy"), t)] : [through];
}

function phraseOf({ field, before, after }: Field, t: Texts, nameOf: NameOf): string | undefined {
  switch (field) {
    case "priority":
      return t.priority(Number(before), Number(after));
    case "enabled":
      return t.switched(after === true);
    case "name":
      return t.renamed(String(before));
    case "splitting":
      return t.split(after === true);
    case "hops":
      return t.through(throughOf(before, t, nameOf), throughOf(after, t, nameOf));
    case "profile_id":
      return t.profile(named(before, nameOf), named(after, nameOf));
    case "schedule_id":
      return t.schedule(named(before, nameOf), named(after, nameOf));
    case "fail_policy":
      return t.failsNow(failOf(after, t), failOf(before, t));
    default:
      return undefined;
  }
}

const throughOf = (hops: unknown, t: Texts, nameOf: NameOf): string =>
  t.hops(Array.isArray(hops) ? (hops as Hop[]).map(({ target }) => nameOf(target)) : []);
const named = (id: unknown, nameOf: NameOf): string | null => (typeof id === "string" ? nameOf(id) : null);
const failOf = (value: unknown, t: Texts): string => t.fails[value as keyof Texts["fails"]] ?? String(value);

/** Type and value of a source are described together; the unchanged half is not among the fields. */
function sourcePhrase(
  fields: readonly Field[],
  t: Texts,
  sources: Messages["paths"]["sources"],
  nameOf: NameOf,
): string | undefined {
  const value = fields.find(({ field }) => field === "source_value");
  const type = fields.find(({ field }) => field === "source_type");
  if (!value && !type) return undefined;
  const side = (which: "before" | "after"): string => {
    const word = nameOf(written(value?.[which]));
    const labelOf = sources[type?.[which] as keyof typeof sources] as ((word: string) => string) | undefined;
    return labelOf ? labelOf(word) : word;
  };
  return t.source(side("after"), side("before"));
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
