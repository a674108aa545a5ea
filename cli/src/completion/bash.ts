import { casePattern, optionPattern, type Offer, type Vocabulary } from "./vocabulary.ts";

export const bash = ({ kinds, verbs, options, files }: Vocabulary): string => `# bash completion for portcullis
# Load it with: source <(portcullis completion bash)
_portcullis() {
  local current="\${COMP_WORDS[COMP_CWORD]}" offers=""
  COMPREPLY=()
  case "$COMP_CWORD" in
    1) offers="${words(kinds)}" ;;
    2)
      case "\${COMP_WORDS[1]}" in
${Object.entries(verbs)
  .map(([kind, offers]) => `        ${kind}) offers="${words(offers)}" ;;\n`)
  .join("")}      esac
      ;;
  esac
  case "$COMP_CWORD \${COMP_WORDS[*]:1:2}" in
    ${files.map(casePattern).join(" | ") || '""'})
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      ;;
  esac
  if [[ "$current" == -* ]]; then
    case "\${COMP_WORDS[*]:1} " in
${options.map(({ after, offers }) => `      ${optionPattern(after)}) offers="${words(offers)}" ;;\n`).join("")}    esac
  fi
  if [[ -n "$offers" ]]; then
    mapfile -t -O "\${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$offers" -- "$current")
  fi
}
complete -F _portcullis portcullis
`;

const words = (offers: readonly Offer[]): string => offers.map(({ word }) => word).join(" ");
