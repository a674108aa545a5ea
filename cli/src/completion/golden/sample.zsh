#compdef portcullis
# zsh completion for portcullis
# Load it with: source <(portcullis completion zsh)
_portcullis() {
  local -a offers
  case "$CURRENT" in
    2)
      offers=(
        'apply:Create a device'
        'changes:Staged, pending and applied changes'
        'devices:Change a device'
        'setup:Set this machine up, step by step or with options'
        'login:Store an API key for the gateway of GATEWAY_ADDR, and accept its certificate'
        'logout:Remove the stored key and certificate of that gateway'
        'version:Version of this client and of the daemon'
        'help:Overview of all commands, or help about one kind'
        'completion:Completion script for a shell'
        'man:The manual page, as roff'
      )
      _describe 'command' offers
      ;;
    3)
      case "$words[2]" in
        changes)
          offers=(
            'confirm:Keep what'\''s pending'
          )
          ;;
        devices)
          offers=(
            'update:Change a device'
          )
          ;;
        help)
          offers=(
            'apply:Create a device'
            'changes:Staged, pending and applied changes'
            'devices:Change a device'
          )
          ;;
        completion)
          offers=(
            'bash:Script for bash'
            'zsh:Script for zsh'
            'fish:Script for fish'
          )
          ;;
      esac
      (( $#offers )) && _describe 'verb' offers
      ;;
  esac
  case "$((CURRENT - 1)) $words[2] $words[3]" in
    "2 apply "* | "4 devices update") _files ;;
  esac
}
if [[ "$funcstack[1]" == "_portcullis" ]]; then
  _portcullis "$@"
else
  compdef _portcullis portcullis
fi
