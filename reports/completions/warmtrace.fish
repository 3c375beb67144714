# fish completion for warmtrace. Verbs and options are those that the program's own --help names, so that they are always its.

# "verb<TAB>what it does"
function __warmtrace_verbs
    warmtrace --help | sed -n '/^Verbs/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
end

# The verb of the line, if it has one.
function __warmtrace_verb
    set -l words (commandline -opc)
    if set -q words[2]; and contains -- $words[2] (warmtrace --help | sed -n '/^Verbs/,/^$/s/^  \([a-z]*\) .*/\1/p')
        echo $words[2]
    end
end

# "-o<TAB>what it does", "--output<TAB>..."
function __warmtrace_options
    set -l verb (__warmtrace_verb)
    warmtrace $verb --help | awk '/^ +-/ {
        sub(/^ +/, ""); names = $0; sub(/  .*/, "", names); text = substr($0, length(names) + 1); sub(/^ +/, "", text)
        gsub(",", "", names); count = split(names, word, " ")
        for (i = 1; i <= count; i++) if (word[i] ~ /^-/) print word[i] "\t" text }'
end

function __warmtrace_previous_is
    set -l words (commandline -opc)
    contains -- $words[-1] $argv
end

function __warmtrace_has_command
    contains -- -- (commandline -opc)
end

function __warmtrace_formats
    if test (__warmtrace_verb) = export
        string split ' ' 'folded svg flamegraph speedscope perfetto pprof firefox csv ndjson otlp'
    else
        string split ' ' 'text json html'
    end 2>/dev/null
end

complete -c warmtrace -n 'test (count (commandline -opc)) = 1' -f -a '(__warmtrace_verbs)'
complete -c warmtrace -n 'not __warmtrace_has_command; and string match -q -- "-*" (commandline -ct)' -f -a '(__warmtrace_options)'
complete -c warmtrace -n '__warmtrace_has_command' -f -a '(__fish_complete_subcommand --fcs-skip=(contains -i -- -- (commandline -opc)))'
complete -c warmtrace -n '__warmtrace_previous_is -f --format' -f -a '(__warmtrace_formats)'
complete -c warmtrace -n '__warmtrace_previous_is --by' -f -a 'critical-path on-cpu off-cpu exceptions faults classes files'
complete -c warmtrace -n '__warmtrace_previous_is --phase' -f -a 'launch vm_init startup idle first_request warm shutdown all'
complete -c warmtrace -n '__warmtrace_previous_is --color' -f -a 'auto always never'
complete -c warmtrace -n '__warmtrace_previous_is --gc' -f -a 'g1 zgc serial parallel shenandoah'
complete -c warmtrace -n '__warmtrace_previous_is --layout' -f -a 'fat extracted'
