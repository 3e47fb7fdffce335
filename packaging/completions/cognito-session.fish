# fish completion for cognito-session(1). It asks the program, whose help comes from the same table as its parser.

function __cognito_session_commands
    LC_ALL=C cognito-session --help 2>/dev/null | string replace --filter --regex '^  ([a-z][a-z-]*) +(.*)' '$1\t$2'
end

# Without a command, status is meant.
function __cognito_session_command
    set --local commands (__cognito_session_commands | string split --fields 1 \t)
    for word in (commandline --tokenize --cut-at-cursor --current-process)[2..]
        if contains -- $word $commands
            echo $word
            return
        end
    end
    return 1
end

function __cognito_session_help
    set --local command (__cognito_session_command; or echo status)
    LC_ALL=C cognito-session $command --help 2>/dev/null
end

# A word in capitals behind an option is a value; what to say there is the person's business.
function __cognito_session_wants_value
    set --local words (commandline --tokenize --cut-at-cursor --current-process)
    __cognito_session_help | string match --quiet --regex -- "^  (-., )?$words[-1] [A-Z]"
end

function __cognito_session_options
    __cognito_session_help | string replace --filter --regex '^  (?:-., )?(--[a-z-]*)(?: [A-Z]+)? +(.*)' '$1\t$2'
end

# Somebody else's command line.
function __cognito_session_takes_command
    __cognito_session_command >/dev/null; and __cognito_session_help | string match --quiet '* COMMAND*'
end

complete --command cognito-session --no-files
complete --command cognito-session --condition 'not __cognito_session_wants_value; and not __cognito_session_command' \
    --arguments '(__cognito_session_commands)'
complete --command cognito-session \
    --condition 'not __cognito_session_wants_value; and string match --quiet -- "-*" (commandline --current-token)' \
    --arguments '(__cognito_session_options)'
complete --command cognito-session --condition 'not __cognito_session_wants_value; and __cognito_session_takes_command' \
    --arguments '(__fish_complete_subcommand --fcs-skip=2)'
