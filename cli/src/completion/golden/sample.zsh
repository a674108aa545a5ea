#compdef portcullis
# zsh completion for portcullis
# Load it with: source <(portcullis completion zsh)
_portcullis() {
  local -a offers
  if [[ "$PREFIX" == -* ]]; then
    case "${(j: :)words[2,-1]} " in
      "tunnels import "*)
        offers=(
          '--name:Name of the tunnel'
          '--username:OpenVPN: user name, if the server requires one'
          '--password-file:OpenVPN: file whose first line is the password'
          '--disabled:Do not bring it up'
          '--json:Print JSON instead of sentences'
        )
        ;;
      "changes confirm "*)
        offers=(
          '--json:Print JSON instead of a table or sentences'
        )
        ;;
      "devices update "*)
        offers=(
          '--name:Name of the device, unique among them'
          '--mac:MAC address of a device, in any common notation; responses are in lower case with colons'
          '--hostname:Host name'
          '--ips:IPv4 or IPv6 address'
          '--vendor:Visible text on one line'
          '--state:known, new or quarantined'
          '--notes:Free text'
          '--force-dns:Redirect port 53 to the gateway'\''s resolver'
          '--block-doh:Refuse encrypted DNS to outside resolvers'
          '--block-ipv6:Block outgoing IPv6'
          '--block-webrtc:Refuse STUN, which reveals the real address to a page'
          '--trust-class:Id or name of a trust class'
          '--privacy-class:Id or name of a privacy class'
          '--group-ids:Id or name of a device group'
          '--json:Print JSON instead of a table or sentences'
        )
        ;;
      "protect "*)
        offers=(
          '--via:Tunnel, by name or id. Given several times: a chain, in order'
          '--fail-closed:While a hop is down, nothing leaves. This is the default'
          '--fail-over:While a hop is down, the next matching policy decides'
          '--fail-open:While a hop is down, traffic leaves directly, in the clear'
          '--before:Give the device'\''s policy the priority of this one, so that it decides first'
          '--confirm-within:Seconds until the change is reverted unless it is confirmed. Default: 120'
          '--keep:Apply for good at once, without a time to confirm'
          '--json:Print JSON instead of sentences'
        )
        ;;
      "why "*)
        offers=(
          '--json:Print JSON instead of sentences'
        )
        ;;
      "pause "*)
        offers=(
          '--for:For one device or one device group, by name or id. Default: for everyone'
          '--protection:Protection instead of DNS filtering: packets leave directly, in the clear'
          '--reason:Reason, for the audit log and the list of pauses'
          '--json:Print JSON instead of sentences'
        )
        ;;
      "resume "*)
        offers=(
          '--for:For one device or one device group, by name or id. Default: for everyone'
          '--protection:Only pauses of protection'
          '--json:Print JSON instead of sentences'
        )
        ;;
      "block "*)
        offers=(
          '--for:For one device or one device group, by name or id. Default: for everyone'
          '--json:Print JSON instead of sentences'
        )
        ;;
      "unblock "*)
        offers=(
          '--for:For one device or one device group, by name or id. Default: for everyone'
          '--json:Print JSON instead of sentences'
        )
        ;;
      "apply "*)
        offers=(
          '--name:Name of the device, unique among them'
          '--mac:MAC address of a device, in any common notation; responses are in lower case with colons'
          '--hostname:Host name'
          '--ips:IPv4 or IPv6 address'
          '--vendor:Visible text on one line'
          '--state:known, new or quarantined'
          '--notes:Free text'
          '--force-dns:Redirect port 53 to the gateway'\''s resolver'
          '--block-doh:Refuse encrypted DNS to outside resolvers'
          '--block-ipv6:Block outgoing IPv6'
          '--block-webrtc:Refuse STUN, which reveals the real address to a page'
          '--trust-class:Id or name of a trust class'
          '--privacy-class:Id or name of a privacy class'
          '--group-ids:Id or name of a device group'
          '--json:Print JSON instead of a table or sentences'
        )
        ;;
      "changes "*)
        offers=(
          '--json:Print JSON instead of a table or sentences'
        )
        ;;
    esac
    (( $#offers )) && _describe -o 'option' offers
    return
  fi
  case "$CURRENT" in
    2)
      offers=(
        'protect:Send a device through a tunnel, and block it while the tunnel is down'
        'why:Why a device is blocked, protected or exposed'
        'pause:Pause DNS filtering, or protection, for some minutes'
        'resume:End pauses of DNS filtering and protection now'
        'block:Block a domain by DNS filtering'
        'unblock:Stop DNS filtering from blocking a domain'
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
            'protect:Send a device through a tunnel, and block it while the tunnel is down'
            'why:Why a device is blocked, protected or exposed'
            'pause:Pause DNS filtering, or protection, for some minutes'
            'resume:End pauses of DNS filtering and protection now'
            'block:Block a domain by DNS filtering'
            'unblock:Stop DNS filtering from blocking a domain'
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
    "2 apply "* | "4 devices update" | "3 tunnels import") _files ;;
  esac
}
if [[ "$funcstack[1]" == "_portcullis" ]]; then
  _portcullis "$@"
else
  compdef _portcullis portcullis
fi
