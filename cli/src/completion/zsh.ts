import { casePattern, optionPattern, type Offer, type Vocabulary } from "./vocabulary.ts";

export const zsh = ({ kinds, verbs, options, files }: Vocabulary): string => `#compdef portcullis
# zsh completion for portcullis
# Load it with: source <(portcullis completion zsh)
_portcullis() {
  local -a offers
  if [[ "$PREFIX" == -* ]]; then
    case "\${(j: :)words[2,-1]} " in
${options
  .map(
    ({ after, offers }) =>
      `      ${optionPattern(after)})\n        offers=(\n${list(offers, 10)}        )\n        ;;\n`,
  )
  .join("")}    esac
    (( $#offers )) && _describe -o 'option' offers
    return
  fi
  case "$CURRENT" in
    2)
      offers=(
${list(kinds, 8)}      )
      _describe 'command' offers
      ;;
    3)
      case "$words[2]" in
${Object.entries(verbs)
  .map(([kind, offers]) => `        ${kind})\n          offers=(\n${list(offers, 12)}          )\n          ;;\n`)
  .join("")}      esac
      (( $#offers )) && _describe 'verb' offers
      ;;
  esac
  case "$((CURRENT - 1)) $words[2] $words[3]" in
    ${files.map(casePattern).join(" | ") || '""'}) _files ;;
  esac
}
if [[ "$funcstack[1]" == "_portcullis" ]]; then
  _portcullis "$@"
else
  compdef _portcullis portcullis
fi
`;

const list = (offers: readonly Offer[], indent: number): string =>
  offers.map(({ word, meaning }) => `${" ".repeat(indent)}${quoted(`${word}:${meaning}`)}\n`).join("");

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
