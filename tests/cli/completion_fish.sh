command -v fish >/dev/null || skip "fish is not installed"
export XDG_CONFIG_HOME=$PWD/config
complete_line() {
  fish --no-config -c 'source "$TESTS/../../reports/completions/warmtrace.fish"; complete -C "$argv"' "$1" | cut -f 1 | sort | tr '\n' ' '
  echo
}
complete_line 'warmtrace re'
for verb in '' record attach report compare bench aot export doctor; do
  complete_line "warmtrace $verb -" | tr ' ' '\n' | grep . | sort >offered
  warmtrace $verb --help | grep -E '^ +-' | sed -E 's/^ +//; s/  .*//' | grep -oE '(^| )-[-A-Za-z]+' | tr -d ' ' | sort >known
  diff known offered
done
complete_line 'warmtrace export --format s'
complete_line 'warmtrace report --format '
complete_line 'warmtrace aot --gc z'
mkdir bin && printf '#!/bin/sh\n' >bin/zzz-server && chmod 755 bin/zzz-server
PATH=$PATH:$PWD/bin
complete_line 'warmtrace record -o x.wtr -- zzz-s'
