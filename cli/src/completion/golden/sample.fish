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
complete --command portcullis --no-files
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
complete --command portcullis --condition '__portcullis_words 2 help' --arguments apply --description 'Create a device'
complete --command portcullis --condition '__portcullis_words 2 help' --arguments changes --description 'Staged, pending and applied changes'
complete --command portcullis --condition '__portcullis_words 2 help' --arguments devices --description 'Change a device'
complete --command portcullis --condition '__portcullis_words 2 completion' --arguments bash --description 'Script for bash'
complete --command portcullis --condition '__portcullis_words 2 completion' --arguments zsh --description 'Script for zsh'
complete --command portcullis --condition '__portcullis_words 2 completion' --arguments fish --description 'Script for fish'
complete --command portcullis --condition '__portcullis_words 2 apply' --force-files
complete --command portcullis --condition '__portcullis_words 4 devices update' --force-files
