import type { Command } from "../commands.ts";
import type { Shell } from "../local-commands.ts";
import { bash } from "./bash.ts";
import { fish } from "./fish.ts";
import { vocabularyOf } from "./vocabulary.ts";
import { zsh } from "./zsh.ts";

const scripts = { bash, zsh, fish };

/** The script a shell loads to complete kinds, verbs and JSON files. */
export const completion = (shell: Shell, commands: readonly Command[]): string =>
  scripts[shell](vocabularyOf(commands));
