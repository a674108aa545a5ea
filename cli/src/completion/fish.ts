import type { Offer, Vocabulary } from "./vocabulary.ts";

export const fish = ({ kinds, verbs, options, files }: Vocabulary): string => `# fish completion for portcullis
# Load it with: portcullis completion fish | source
function __portcullis_words
    set -l typed (commandline -opc)
    test (count $typed) -eq $argv[1]; or return 1
    set -e argv[1]
    for at in (seq (count $argv))
        test $typed[(math $at + 1)] = $argv[$at]; or return 1
    end
end
# The words of a command, and the verbs that make it another one.
function __portcullis_options
    set -l typed (commandline -opc)
    set -l words (string split " " $argv[1])
    for at in (seq (count $words))
        test (math $at + 1) -le (count $typed); or return 1
        test $typed[(math $at + 1)] = $words[$at]; or return 1
    end
    not contains -- "$typed[3]" $argv[2..-1]
end
complete --command portcullis --no-files
${kinds.map((offer) => line(["1"], offer)).join("")}${Object.entries(verbs)
  .flatMap(([kind, offers]) => offers.map((offer) => line(["2", kind], offer)))
  .join("")}${options
  .flatMap(({ after, except, offers }) => offers.map((offer) => optionLine(after, except, offer)))
  .join("")}${files
  .map(
    ({ after, index }) =>
      `complete --command portcullis --condition ${condition([String(index), ...after])} --force-files\n`,
  )
  .join("")}`;

const line = (when: readonly string[], { word, meaning }: Offer): string =>
  `complete --command portcullis --condition ${condition(when)} --arguments ${word} --description ${quoted(meaning)}\n`;

const optionLine = (after: readonly string[], except: readonly string[], { word, meaning }: Offer): string =>
  `complete --command portcullis --condition ${quoted(`__portcullis_options "${after.join(" ")}" ${except.join(" ")}`.trim())} --long-option ${word.slice(2)} --description ${quoted(meaning)}\n`;

const condition = (words: readonly string[]): string => quoted(`__portcullis_words ${words.join(" ")}`);

/** Inside single quotes fish escapes the quote and the backslash. */
const quoted = (text: string): string => `'${text.replace(/['\\]/g, "\\$&")}'`;
