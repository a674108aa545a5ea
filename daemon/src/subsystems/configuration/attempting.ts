import { type Section, sections } from "@portcullis/contract/config-sections";
import { Problem } from "@portcullis/contract/problem";
import type { ConfigDocument } from "@portcullis/contract/subsystems/configuration";
import type { Ledger } from "../../ledger/ledger.ts";
import type { ListOperations } from "./operations.ts";
import { indexOf } from "./matching.ts";
import { type Claim, claimKey } from "./owners.store.ts";
import type { Item } from "./representation.ts";
import { put, upsert, type Upserting } from "./upsert.ts";

interface Needs extends Upserting {
  /** Lets other requests run. */
  readonly pause: () => Promise<void>;
}

/** One resource to make, or to delete. */
interface Task {
  readonly section: Section;
  readonly name: string;
  /** Where a mistake is, as in the path of a field. */
  readonly place: string;
  readonly run: () => Promise<string | undefined>;
}

const pauseEvery = 25;
const reported = 20;
/** A chain of resources that wait for one another needs one pass, in one order or the other. */
const maxPasses = 20;

/**
 * Makes the resources of a document and deletes others. A task that fails is tried again after the others, in reverse order: it
 * may depend on one that comes later. Returns the resources of the document.
 */
export async function attemptDocument(
  needs: Needs,
  document: ConfigDocument,
  going: readonly Claim[],
): Promise<readonly Claim[]> {
  const { attempt, pause } = needs;
  const claims = new Map<string, Claim>();
  const unclaimed = (it: Claim) => !claims.has(claimKey(it));
  const tasks: readonly Task[] = [...upserts(needs, document), ...deletions(needs, going, unclaimed)];
  let waiting = tasks;
  let done = 0;
  for (let pass = 1; waiting.length > 0; pass++) {
    const failed: { readonly task: Task; readonly problem: Problem }[] = [];
    for (const task of waiting) {
      const undo = attempt.mark();
      try {
        const id = await task.run();
        if (id !== undefined) claim(task, id);
      } catch (error) {
        undo();
        if (!(error instanceof Problem)) throw error;
        failed.push({ task, problem: error });
      }
      if (++done % pauseEvery === 0) await pause();
    }
    if (failed.length === waiting.length || pass === maxPasses) {
      const places = new Map(tasks.map((task, place) => [task, place]));
      if (failed.length > 0) throw refusal(failed.toSorted((a, b) => places.get(a.task)! - places.get(b.task)!));
    }
    waiting = failed.map(({ task }) => task).toReversed();
  }
  return [...claims.values()];

  function claim({ section: { kind } }: Task, id: string): void {
    const key = claimKey({ kind, id });
    if (claims.has(key))
      throw new Problem("conflict", { id }, { message: "The document contains this resource twice" });
    claims.set(key, { kind, id });
  }
}

function upserts(needs: Upserting, document: ConfigDocument): Task[] {
  return sections.flatMap((section): Task[] => {
    const content = document[section.name];
    if (content === undefined) return [];
    if (section.form === "single") {
      const run = () => put(needs, section, content as Item).then(() => undefined);
      return [{ section, name: section.name, place: section.name, run }];
    }
    const index = indexOf(needs.ledger, section);
    return (content as readonly Item[]).map((item, position) => ({
      section,
      name: itemName(section, item),
      place: `${section.name}.${position}`,
      run: () => upsert(needs, section, index, item),
    }));
  });
}

/** The resources of a document that exist already. */
export const existingOf = (ledger: Ledger, document: ConfigDocument): readonly Claim[] =>
  sections.flatMap((section) => {
    const content = document[section.name];
    if (section.form === "single" || content === undefined) return [];
    const index = indexOf(ledger, section);
    return (content as readonly Item[]).flatMap((item) => {
      const id = section.isCreated ? index.find(item)?.id : String(item[section.key[0]!]);
      return id === undefined ? [] : [{ kind: section.kind, id }];
    });
  });

/** Those that refer to others come first. */
function deletions(
  { ledger, operations, cause }: Upserting,
  going: readonly Claim[],
  isWanted: (claim: Claim) => boolean,
): Task[] {
  return sections.toReversed().flatMap((section): Task[] =>
    going
      .filter(({ kind }) => kind === section.kind)
      .map(({ kind, id }) => ({
        section,
        name: (ledger.staged(kind).get(id) as { readonly name?: string } | undefined)?.name ?? id,
        place: section.name,
        run: async () => {
          // It may have been deleted together with another one, or be in the document in another spelling.
          if (isWanted({ kind, id }) && ledger.staged(kind).get(id))
            await (operations[kind] as ListOperations).remove!(cause, id);
          return undefined;
        },
      })),
  );
}

export const itemName = ({ key }: Section, item: Item): string =>
  key
    .map((field) => item[field])
    .filter((it) => it !== undefined && it !== null && it !== "")
    .join(" ");

/** The first problem, with the resource in its sentence, and all of them in its details. */
function refusal(failed: readonly { readonly task: Task; readonly problem: Problem }[]): Problem {
  const problems = failed.map(({ task: { section, name, place }, problem: { code, message, details } }) => ({
    section: section.name,
    name,
    code,
    message: message.replace(/\bbody\./g, `${place}.`),
    details: placed(details, place),
  }));
  const [first] = problems;
  const more = failed.length > 1 ? `; and ${failed.length - 1} more` : "";
  return new Problem(
    first!.code,
    { ...first!.details, problems: problems.slice(0, reported), failed: failed.length },
    { message: `${first!.section} ${JSON.stringify(first!.name)}: ${first!.message}${more}` },
  );
}

/** Services name the fields of their bodies. */
const placed = (details: Problem["details"], place: string): Problem["details"] =>
  JSON.parse(JSON.stringify(details).replace(/"body\./g, `"body.${place}.`)) as Problem["details"];
