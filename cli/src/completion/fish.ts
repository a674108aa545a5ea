import type { Offer, Vocabulary } from "./vocabulary.ts";

export const fish = ({ kinds, verbs, files }: Vocabulary): string => `# fish completion for portcullis
# Load it with: portcullis completion fish | source
function __portcullis_words
    set -l typed (commandline -opc)
    test (count $typed) -eq $argv[1]; or return 1
    set -e argv[1]
    for at in (seq (count $argv))
        test $typed[(math $at + 1)] = $argv[$at]; or return 1
    end
end
complete --command portcullis --no-files
${kinds.map((offer) => line(["1"], offer)).join("")}${Object.entries(verbs)
  .flatMap(([kind, offers]) => offers.map((offer) => line(["2", kind], offer)))
  .join("")}${files
  .map(
    ({ after, index }) =>
      `complete --command portcullis --condition ${condition([String(index), ...after])} --force-files\n`,
  )
  .join("")}`;

const line = (when: readonly string[], { word, meaning }: Offer): string =>
  `complete --command portcullis --condition ${condition(when)} --arguments ${word} --description ${quoted(meaning)}\n`;

const condition = (words: readonly string[]): string => quoted(`__portcullis_words ${words.join(" ")}`);

/** Inside single quotes fish escapes the quote and the backslash. */
const quoted = (text: string): string => `'${text.replace(/['\\]/g, "\\$&")}'`;
