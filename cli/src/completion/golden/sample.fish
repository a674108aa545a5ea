# fish completion for portcullis
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
complete --command portcullis --condition '__portcullis_words 1' --arguments protect --description 'Send a device through a tunnel, and block it while the tunnel is down'
complete --command portcullis --condition '__portcullis_words 1' --arguments why --description 'Why a device is blocked, protected or exposed'
complete --command portcullis --condition '__portcullis_words 1' --arguments pause --description 'Pause DNS filtering, or protection, for some minutes'
complete --command portcullis --condition '__portcullis_words 1' --arguments resume --description 'End pauses of DNS filtering and protection now'
complete --command portcullis --condition '__portcullis_words 1' --arguments block --description 'Block a domain by DNS filtering'
complete --command portcullis --condition '__portcullis_words 1' --arguments unblock --description 'Stop DNS filtering from blocking a domain'
complete --command portcullis --condition '__portcullis_words 1' --arguments apply --description 'Create a device'
complete --command portcullis --condition '__portcullis_words 1' --arguments changes --description 'Staged, pending and applied changes'
complete --command portcullis --condition '__portcullis_words 1' --arguments devices --description 'Change a device'
complete --command portcullis --condition '__portcullis_words 1' --arguments setup --description 'Set this machine up, step by step or with options'
complete --command portcullis --condition '__portcullis_words 1' --arguments login --description 'Store an API key for the gateway of GATEWAY_ADDR, and accept its certificate'
complete --command portcullis --condition '__portcullis_words 1' --arguments logout --description 'Remove the stored key and certificate of that gateway'
complete --command portcullis --condition '__portcullis_words 1' --arguments version --description 'Version of this client and of the daemon'
complete --command portcullis --condition '__portcullis_words 1' --arguments help --description 'Overview of all commands, or help about one kind'
complete --command portcullis --condition '__portcullis_words 1' --arguments completion --description 'Completion script for a shell'
complete --command portcullis --condition '__portcullis_words 1' --arguments man --description 'The manual page, as roff'
complete --command portcullis --condition '__portcullis_words 2 changes' --arguments confirm --description 'Keep what\'s pending'
complete --command portcullis --condition '__portcullis_words 2 devices' --arguments update --description 'Change a device'
complete --command portcullis --condition '__portcullis_words 2 help' --arguments protect --description 'Send a device through a tunnel, and block it while the tunnel is down'
complete --command portcullis --condition '__portcullis_words 2 help' --arguments why --description 'Why a device is blocked, protected or exposed'
complete --command portcullis --condition '__portcullis_words 2 help' --arguments pause --description 'Pause DNS filtering, or protection, for some minutes'
complete --command portcullis --condition '__portcullis_words 2 help' --arguments resume --description 'End pauses of DNS filtering and protection now'
complete --command portcullis --condition '__portcullis_words 2 help' --arguments block --description 'Block a domain by DNS filtering'
complete --command portcullis --condition '__portcullis_words 2 help' --arguments unblock --description 'Stop DNS filtering from blocking a domain'
complete --command portcullis --condition '__portcullis_words 2 help' --arguments apply --description 'Create a device'
complete --command portcullis --condition '__portcullis_words 2 help' --arguments changes --description 'Staged, pending and applied changes'
complete --command portcullis --condition '__portcullis_words 2 help' --arguments devices --description 'Change a device'
complete --command portcullis --condition '__portcullis_words 2 completion' --arguments bash --description 'Script for bash'
complete --command portcullis --condition '__portcullis_words 2 completion' --arguments zsh --description 'Script for zsh'
complete --command portcullis --condition '__portcullis_words 2 completion' --arguments fish --description 'Script for fish'
complete --command portcullis --condition '__portcullis_options "tunnels import"' --long-option name --description 'Name of the tunnel'
complete --command portcullis --condition '__portcullis_options "tunnels import"' --long-option username --description 'OpenVPN: user name, if the server requires one'
complete --command portcullis --condition '__portcullis_options "tunnels import"' --long-option password-file --description 'OpenVPN: file whose first line is the password'
complete --command portcullis --condition '__portcullis_options "tunnels import"' --long-option disabled --description 'Do not bring it up'
complete --command portcullis --condition '__portcullis_options "tunnels import"' --long-option json --description 'Print JSON instead of sentences'
complete --command portcullis --condition '__portcullis_options "changes confirm"' --long-option json --description 'Print JSON instead of a table or sentences'
complete --command portcullis --condition '__portcullis_options "devices update"' --long-option name --description 'Name of the device, unique among them'
complete --command portcullis --condition '__portcullis_options "devices update"' --long-option mac --description 'MAC address of a device, in any common notation; responses are in lower case with colons'
complete --command portcullis --condition '__portcullis_options "devices update"' --long-option hostname --description 'Host name'
complete --command portcullis --condition '__portcullis_options "devices update"' --long-option ips --description 'IPv4 or IPv6 address'
complete --command portcullis --condition '__portcullis_options "devices update"' --long-option vendor --description 'Visible text on one line'
complete --command portcullis --condition '__portcullis_options "devices update"' --long-option state --description 'known, new or quarantined'
complete --command portcullis --condition '__portcullis_options "devices update"' --long-option notes --description 'Free text'
complete --command portcullis --condition '__portcullis_options "devices update"' --long-option force-dns --description 'Redirect port 53 to the gateway\'s resolver'
complete --command portcullis --condition '__portcullis_options "devices update"' --long-option block-doh --description 'Refuse encrypted DNS to outside resolvers'
complete --command portcullis --condition '__portcullis_options "devices update"' --long-option block-ipv6 --description 'Block outgoing IPv6'
complete --command portcullis --condition '__portcullis_options "devices update"' --long-option block-webrtc --description 'Refuse STUN, which reveals the real address to a page'
complete --command portcullis --condition '__portcullis_options "devices update"' --long-option trust-class --description 'Id or name of a trust class'
complete --command portcullis --condition '__portcullis_options "devices update"' --long-option privacy-class --description 'Id or name of a privacy class'
complete --command portcullis --condition '__portcullis_options "devices update"' --long-option group-ids --description 'Id or name of a device group'
complete --command portcullis --condition '__portcullis_options "devices update"' --long-option json --description 'Print JSON instead of a table or sentences'
complete --command portcullis --condition '__portcullis_options "protect"' --long-option via --description 'Tunnel, by name or id. Given several times: a chain, in order'
complete --command portcullis --condition '__portcullis_options "protect"' --long-option fail-closed --description 'While a hop is down, nothing leaves. This is the default'
complete --command portcullis --condition '__portcullis_options "protect"' --long-option fail-over --description 'While a hop is down, the next matching policy decides'
complete --command portcullis --condition '__portcullis_options "protect"' --long-option fail-open --description 'While a hop is down, traffic leaves directly, in the clear'
complete --command portcullis --condition '__portcullis_options "protect"' --long-option before --description 'Give the device\'s policy the priority of this one, so that it decides first'
complete --command portcullis --condition '__portcullis_options "protect"' --long-option confirm-within --description 'Seconds until the change is reverted unless it is confirmed. Default: 120'
complete --command portcullis --condition '__portcullis_options "protect"' --long-option keep --description 'Apply for good at once, without a time to confirm'
complete --command portcullis --condition '__portcullis_options "protect"' --long-option json --description 'Print JSON instead of sentences'
complete --command portcullis --condition '__portcullis_options "why"' --long-option json --description 'Print JSON instead of sentences'
complete --command portcullis --condition '__portcullis_options "pause"' --long-option for --description 'For one device or one device group, by name or id. Default: for everyone'
complete --command portcullis --condition '__portcullis_options "pause"' --long-option protection --description 'Protection instead of DNS filtering: packets leave directly, in the clear'
complete --command portcullis --condition '__portcullis_options "pause"' --long-option reason --description 'Reason, for the audit log and the list of pauses'
complete --command portcullis --condition '__portcullis_options "pause"' --long-option json --description 'Print JSON instead of sentences'
complete --command portcullis --condition '__portcullis_options "resume"' --long-option for --description 'For one device or one device group, by name or id. Default: for everyone'
complete --command portcullis --condition '__portcullis_options "resume"' --long-option protection --description 'Only pauses of protection'
complete --command portcullis --condition '__portcullis_options "resume"' --long-option json --description 'Print JSON instead of sentences'
complete --command portcullis --condition '__portcullis_options "block"' --long-option for --description 'For one device or one device group, by name or id. Default: for everyone'
complete --command portcullis --condition '__portcullis_options "block"' --long-option json --description 'Print JSON instead of sentences'
complete --command portcullis --condition '__portcullis_options "unblock"' --long-option for --description 'For one device or one device group, by name or id. Default: for everyone'
complete --command portcullis --condition '__portcullis_options "unblock"' --long-option json --description 'Print JSON instead of sentences'
complete --command portcullis --condition '__portcullis_options "apply"' --long-option name --description 'Name of the device, unique among them'
complete --command portcullis --condition '__portcullis_options "apply"' --long-option mac --description 'MAC address of a device, in any common notation; responses are in lower case with colons'
complete --command portcullis --condition '__portcullis_options "apply"' --long-option hostname --description 'Host name'
complete --command portcullis --condition '__portcullis_options "apply"' --long-option ips --description 'IPv4 or IPv6 address'
complete --command portcullis --condition '__portcullis_options "apply"' --long-option vendor --description 'Visible text on one line'
complete --command portcullis --condition '__portcullis_options "apply"' --long-option state --description 'known, new or quarantined'
complete --command portcullis --condition '__portcullis_options "apply"' --long-option notes --description 'Free text'
complete --command portcullis --condition '__portcullis_options "apply"' --long-option force-dns --description 'Redirect port 53 to the gateway\'s resolver'
complete --command portcullis --condition '__portcullis_options "apply"' --long-option block-doh --description 'Refuse encrypted DNS to outside resolvers'
complete --command portcullis --condition '__portcullis_options "apply"' --long-option block-ipv6 --description 'Block outgoing IPv6'
complete --command portcullis --condition '__portcullis_options "apply"' --long-option block-webrtc --description 'Refuse STUN, which reveals the real address to a page'
complete --command portcullis --condition '__portcullis_options "apply"' --long-option trust-class --description 'Id or name of a trust class'
complete --command portcullis --condition '__portcullis_options "apply"' --long-option privacy-class --description 'Id or name of a privacy class'
complete --command portcullis --condition '__portcullis_options "apply"' --long-option group-ids --description 'Id or name of a device group'
complete --command portcullis --condition '__portcullis_options "apply"' --long-option json --description 'Print JSON instead of a table or sentences'
complete --command portcullis --condition '__portcullis_options "changes" confirm' --long-option json --description 'Print JSON instead of a table or sentences'
complete --command portcullis --condition '__portcullis_words 2 apply' --force-files
complete --command portcullis --condition '__portcullis_words 4 devices update' --force-files
complete --command portcullis --condition '__portcullis_words 3 tunnels import' --force-files
