import { type Command, commandsOfKind, kindsOf, summaryOf, verbOf } from "../commands.ts";
import { localCommands, shells } from "../local-commands.ts";
import { commonOptionsOf, optionName, optionsOf } from "../options.ts";
import { jsonOption } from "../tasks/task.ts";
import { tasks } from "../tasks/tasks.ts";

/** A completion of the shell, and its description. */
export interface Offer {
  readonly word: string;
  readonly meaning: string;
}

/** The content of a completion script. */
export interface Vocabulary {
  /** The first word. */
  readonly kinds: readonly Offer[];
  /** The second word, by the first. */
  readonly verbs: Readonly<Record<string, readonly Offer[]>>;
  /** Options, by the words of the command. */
  readonly options: readonly CommandOptions[];
  /** Positions at which a JSON file may be given: the words before it, and its index. */
  readonly files: readonly { readonly after: readonly string[]; readonly index: number }[];
}

interface CommandOptions {
  readonly after: readonly string[];
  readonly offers: readonly Offer[];
  /** Words that make it another command. */
  readonly except: readonly string[];
}

export function vocabularyOf(commands: readonly Command[]): Vocabulary {
  const own = localCommands.map(({ word, summary }): Offer => ({ word, meaning: summary }));
  const kinds = kindsOf(commands).map(
    (kind): Offer => ({
      word: kind,
      meaning: summaryOf(commands, kind),
    }),
  );
  const firstWords = tasks
    .filter(({ words: [first, second] }) => second === undefined && !kinds.some(({ word }) => word === first))
    .map(({ words: [word], summary }): Offer => ({ word, meaning: summary }));
  const verbs = kinds.map(
    ({ word }) => [word, [...taskVerbs(word), ...commandsOfKind(commands, word).flatMap(offerOf)]] as const,
  );
  return {
    kinds: [...firstWords, ...kinds, ...own],
    verbs: {
      ...Object.fromEntries(verbs.filter(([, offers]) => offers.length > 0)),
      help: [...firstWords, ...kinds],
      completion: shells.map((shell) => ({ word: shell, meaning: `Script for ${shell}` })),
    },
    options: optionsByCommand(commands),
    files: [
      ...commands
        .filter(({ json }) => json !== "never")
        .map(({ words, args }) => ({ after: words, index: words.length + args.length + 1 })),
      { after: ["tunnels", "import"], index: 3 },
    ],
  };
}

/** The commands with the most words first: the first that fits is the one that was typed. */
function optionsByCommand(commands: readonly Command[]): CommandOptions[] {
  const ofTasks = tasks.map(({ words, options }) => ({
    after: words,
    offers: [...options, jsonOption].map(({ name, meaning }) => ({ word: name, meaning })),
  }));
  const ofCommands = commands.flatMap((command) => {
    const offers = [
      ...optionsOf(command).map(({ name, description }) => ({ word: optionName(name), meaning: description })),
      ...commonOptionsOf(command).map(({ name, meaning }) => ({ word: name, meaning })),
    ];
    const isList = verbOf(command) === "list";
    return [{ after: command.words, offers }, ...(isList ? [{ after: command.words.slice(0, 1), offers }] : [])];
  });
  const all = merged([...ofTasks, ...ofCommands]);
  return all
    .map((it) => ({
      ...it,
      except:
        it.after.length > 1
          ? []
          : all.flatMap(({ after: [first, second] }) => (first === it.after[0] ? (second ?? []) : [])),
    }))
    .toSorted((a, b) => b.after.length - a.after.length);
}

type Offered = Omit<CommandOptions, "except">;

/** `pause` is a task and the default of a kind: its options are those of both. */
function merged(all: readonly Offered[]): Offered[] {
  const byWords = new Map<string, Map<string, Offer>>();
  for (const { after, offers } of all) {
    const known = byWords.get(after.join(" ")) ?? new Map<string, Offer>();
    for (const offer of offers) if (!known.has(offer.word)) known.set(offer.word, offer);
    byWords.set(after.join(" "), known);
  }
  return [...byWords].map(([words, offers]) => ({ after: words.split(" "), offers: [...offers.values()] }));
}

const taskVerbs = (kind: string): Offer[] =>
  tasks.flatMap(({ words: [first, second], summary }) =>
    first === kind && second !== undefined ? [{ word: second, meaning: summary }] : [],
  );

/** In bash and zsh: the index and the words before it, as a pattern of `case`. After one word the pattern accepts any next word. */
export const casePattern = ({ after, index }: Vocabulary["files"][number]): string =>
  after.length === 1 ? `"${index} ${after[0]} "*` : `"${index} ${after.join(" ")}"`;

/** The same for options, which may be anywhere after the words of the command. */
export const optionPattern = (after: readonly string[]): string => `"${after.join(" ")} "*`;

function offerOf(command: Command): Offer[] {
  const verb = verbOf(command);
  return verb === undefined ? [] : [{ word: verb, meaning: command.endpoint.summary }];
}
