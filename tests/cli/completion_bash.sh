. "$TESTS/../../reports/completions/warmtrace.bash"
# complete_line WORD...: what completes the last word.
complete_line() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _warmtrace "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
  printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
  echo
}
complete_line warmtrace ''
complete_line warmtrace re
# Every option of every verb.
for verb in '' record attach report compare bench aot export doctor; do
  complete_line warmtrace $verb - | tr ' ' '\n' | grep . >offered
  warmtrace $verb --help | grep -E '^ +-' | sed -E 's/^ +//; s/  .*//' | grep -oE '(^| )-[-A-Za-z]+' | tr -d ' ' | sort >known
  diff known offered
done
complete_line warmtrace export --fo
complete_line warmtrace export --format s
complete_line warmtrace export --format = s
complete_line warmtrace report -f h
complete_line warmtrace aot --gc z
touch one.wtr two.txt
complete_line warmtrace report o
complete_line warmtrace record -o o
# What follows is the command's.
mkdir bin && printf '#!/bin/sh\n' >bin/zzz-server && chmod 755 bin/zzz-server
PATH=$PATH:$PWD/bin
complete_line warmtrace -- zzz-s
complete_line warmtrace record -o x.wtr -q -- zzz-s
complete_line warmtrace record --warm = 3 -- zzz-s
complete_line warmtrace record --quiet zzz-s
complete_line warmtrace zzz-server o
# Values that the completion knows are those that the program takes.
for value in text json html; do warmtrace report -f $value --version >/dev/null; done
for value in folded svg flamegraph speedscope perfetto pprof firefox csv ndjson otlp; do warmtrace export -f $value --version >/dev/null; done
for value in critical-path on-cpu off-cpu exceptions faults classes files; do warmtrace export --by $value --version >/dev/null; done
for value in launch vm_init startup idle first_request warm shutdown all; do warmtrace export --phase $value --version >/dev/null; done
for value in g1 zgc serial parallel shenandoah; do warmtrace aot --gc $value --version >/dev/null; done
