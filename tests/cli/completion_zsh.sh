command -v zsh >/dev/null || skip "zsh is not installed"
# What the completion tells zsh's own completion functions, which are made to print it.
cat >ask <<'END'
setopt extendedglob # as the completion system has it
_call_program() { shift; "$@" }
_arguments() { print -rl -- "$@" }
_describe() { print -rl -- ${(P)4} }
_command_names() { }
fpath=($TESTS/../../reports/completions $fpath)
autoload -U _warmtrace
words=("$@") CURRENT=$#
_warmtrace
END
echo "verbs:"
zsh -f ask warmtrace '' | grep -v "^[-*(:]"
for verb in '' record attach report compare bench aot export doctor; do
  zsh -f ask warmtrace $verb - - | grep -E '^\*-' | sed -E 's/^\*([-A-Za-z]+).*/\1/' | sort >offered
  warmtrace $verb --help | grep -E '^ +-' | sed -E 's/^ +//; s/  .*//' | grep -oE '(^| )-[-A-Za-z]+' | tr -d ' ' | sort >known
  diff known offered
done
echo "some options:"
zsh -f ask warmtrace export - - | grep -E 'format|--vs|quiet|FILE'
zsh -f ask warmtrace report - - | grep -E 'format'
