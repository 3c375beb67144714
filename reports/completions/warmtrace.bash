# bash completion for warmtrace. Verbs and options are those that the program's own --help names, so that they are always its.

# Rows of a --help: "NAME... [ARGUMENT]", options when $3 is -, verbs when it is empty.
_warmtrace_rows() {
  COLUMNS=100 "$1" ${2:+"$2"} --help 2>/dev/null | awk -v dash="$3" '
    /^[A-Z]/ { verbs = /^Verbs/ }
    dash ? /^ +-/ : verbs && /^  [a-z]/ { sub(/^ +/, ""); sub(/  .*/, ""); gsub(",", ""); print }'
}

_warmtrace() {
  local program=$1 word=$2 previous=$3 verb='' index=1 rows verbs at
  COMPREPLY=()
  # Readline breaks --name=value at the sign.
  [ "$previous" = = ] && previous=${COMP_WORDS[COMP_CWORD - 2]}
  [ "$word" = = ] && word=
  verbs=$(_warmtrace_rows "$program")
  if [[ $COMP_CWORD -gt 1 && " ${verbs//$'\n'/ } " == *" ${COMP_WORDS[1]} "* ]]; then
    verb=${COMP_WORDS[1]} index=2
  fi
  rows=$(_warmtrace_rows "$program" "$verb" -)

  # Behind the options stands the command, which has a completion of its own.
  case $verb in
  '' | record | aot)
    local is_command=no
    for ((at = index; at < COMP_CWORD; at++)); do
      case ${COMP_WORDS[at]} in
      --) is_command=yes at=$((at + 1)); break ;;
      -*)
        if grep -Eq -- "(^| )${COMP_WORDS[at]} .*[A-Z]" <<<"$rows"; then
          at=$((at + 1))
          [ "${COMP_WORDS[at]}" = = ] && at=$((at + 1))
        fi
        ;;
      *) is_command=yes; break ;;
      esac
    done
    [[ $at == "$COMP_CWORD" && $word != -* && $COMP_CWORD -gt 1 ]] && is_command=yes
    if [ $is_command = yes ]; then
      if declare -F _command_offset >/dev/null; then
        _command_offset "$at"
      elif [ "$at" = "$COMP_CWORD" ]; then
        mapfile -t COMPREPLY < <(compgen -c -- "$word")
      else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
      fi
      return
    fi
    ;;
  esac

  local values=''
  case $previous in
  --format | -f)
    values='text json html'
    [ "$verb" = export ] && values='folded svg flamegraph speedscope perfetto pprof firefox csv ndjson otlp'
    ;;
  --by) values='critical-path on-cpu off-cpu exceptions faults classes files' ;;
  --phase) values='launch vm_init startup idle first_request warm shutdown all' ;;
  --color) values='auto always never' ;;
  --gc) values='g1 zgc serial parallel shenandoah' ;;
  --layout) values='fat extracted' ;;
  --work) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
  esac
  if [ -n "$values" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(grep -o -E -- '(^| )-[-A-Za-z]+' <<<"$rows")" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    [ -z "$verb" ] && [ "$COMP_CWORD" = 1 ] && mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$word")
  fi
}

complete -o filenames -F _warmtrace warmtrace
