import { type Command, commandsOfKind, kindsOf, summaryOf, verbOf } from "../commands.ts";
import { localCommands, shells } from "../local-commands.ts";

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
  /** Positions at which a JSON file may be given: the words before it, and its index. */
  readonly files: readonly { readonly after: readonly string[]; readonly index: number }[];
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
      .map(({ words, args }) => ({ after: words, index: words.length + args.length + 1 })),
  };
}

/** In bash and zsh: the index and the words before it, as a pattern of `case`. After one word the pattern accepts any next word. */
export const casePattern = ({ after, index }: Vocabulary["files"][number]): string =>
  after.length === 1 ? `"${index} ${after[0]} "*` : `"${index} ${after.join(" ")}"`;

function offerOf(command: Command): Offer[] {
  const verb = verbOf(command);
  return verb === undefined ? [] : [{ word: verb, meaning: command.endpoint.summary }];
}
