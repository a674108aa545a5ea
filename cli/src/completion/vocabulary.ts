import { type Command, commandsOfKind, kindsOf, summaryOf, verbOf } from "../commands.ts";
import { localCommands, shells } from "../local-commands.ts";

/** A word a shell may offer, and what it means. */
export interface Offer {
  readonly word: string;
  readonly meaning: string;
}

/** All that a completion script knows. */
export interface Vocabulary {
  /** The first word. */
  readonly kinds: readonly Offer[];
  /** The second word, by the first. */
  readonly verbs: Readonly<Record<string, readonly Offer[]>>;
  /** Where a JSON file may stand: after which words, as how manyeth word. */
  readonly files: readonly { readonly after: readonly string[]; readonly place: number }[];
}

export function vocabularyOf(commands: readonly Command[]): Vocabulary {
  const own = localCommands.map(({ word, summary }): Offer => ({ word, meaning: summary }));
  const kinds = kindsOf(commands).map(
    (kind): Offer => ({
      word: kind,
      meaning: summaryOf(commands, kind),
    }),
  );
  const verbs = kinds.map(({ word }) => [word, commandsOfKind(commands, word).flatMap(offerOf)] as const);
  return {
    kinds: [...kinds, ...own],
    verbs: {
      ...Object.fromEntries(verbs.filter(([, offers]) => offers.length > 0)),
      help: kinds,
      completion: shells.map((shell) => ({ word: shell, meaning: `Script for ${shell}` })),
    },
    files: commands
      .filter(({ json }) => json !== "never")
      .map(({ words, args }) => ({ after: words, place: words.length + args.length + 1 })),
  };
}

/** In bash and zsh: the place and the words before it, as a pattern of `case`. One word leaves room for the next. */
export const casePattern = ({ after, place }: Vocabulary["files"][number]): string =>
  after.length === 1 ? `"${place} ${after[0]} "*` : `"${place} ${after.join(" ")}"`;

function offerOf(command: Command): Offer[] {
  const verb = verbOf(command);
  return verb === undefined ? [] : [{ word: verb, meaning: command.endpoint.summary }];
}
