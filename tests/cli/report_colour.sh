# Colour only where it is asked for: standard output is no terminal here.
recording run.wtr
coloured() { grep -c $'\e' || true; }
warmtrace report run.wtr | coloured
TERM=xterm warmtrace report --color auto run.wtr | coloured
warmtrace report --color never run.wtr | coloured
[ "$(NO_COLOR=1 warmtrace report --color always run.wtr | coloured)" -gt 5 ] && echo always
# On a terminal, unless NO_COLOR is set.
command -v script >/dev/null || skip "script (bsdutils) is not installed"
export TERM=xterm
[ "$(script -qec 'warmtrace report run.wtr' /dev/null | coloured)" -gt 5 ] && echo terminal
NO_COLOR=1 script -qec 'warmtrace report run.wtr' /dev/null | coloured
TERM=dumb script -qec 'warmtrace report run.wtr' /dev/null | coloured
