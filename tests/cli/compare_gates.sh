# served.trace: first request 40 ms, 10 stack traces filled. faster: 20 ms; storm: 40 ms and 14 stack traces.
changed() { sed "$2" "$TESTS/served.trace" >"$1.trace" && "$WRITE_RECORDING" "$1.trace" "$1.wtr"; }
recording run.wtr
changed faster 's/179ms\.\.180ms/159ms..160ms/'
changed storm 's/^150ms\.\.150\.5ms main exception count=1/150ms..150.5ms main exception count=5/'
# No response at all, and 57 stack traces.
sed '/socket_write/d; s/^150ms\.\.150\.5ms main exception count=1/150ms..150.5ms main exception count=48/' "$TESTS/served.trace" >silent.trace
"$WRITE_RECORDING" silent.trace silent.wtr

check() { expect "$1" warmtrace compare --report /dev/null --fail-if "$2" run.wtr --vs "$3.wtr"; }

# A change is one against the baseline.
check 0 'first_request.median > +5%' run
check 0 'first_request.median > +5%' faster
check 1 'first_request.median < -49%' faster
check 0 'first_request.median < -50%' faster
check 1 'first_request.median <= -50%' faster
check 1 'first_request <= -20ms' faster
check 0 'first_request < -20ms' faster
check 0 'exceptions > +10' storm
check 1 'exceptions > +3' storm
check 0 'exceptions > +4' storm
check 1 'exceptions > +39%' storm
check 1 'exception.fill <= +0ms' storm
# A bound holds for every scenario.
check 1 'first_request.max > 39ms' faster
check 1 'first_request.min < 21ms' faster
check 0 'first_request.max > 40ms' faster
check 1 'first_request.stddev <= 0ms' faster
# What was not observed does not pass, in one set or the other.
check 1 'peak_rss > +10%' faster
check 1 'first_request > +5%' silent
expect 1 warmtrace compare --report /dev/null --fail-if 'first_request > +5%' silent.wtr --vs run.wtr
# A run that answered nothing is in no figure, and not in the gate's either.
expect 0 warmtrace compare --report /dev/null --fail-if 'exceptions.max > 14' run.wtr silent.wtr --vs storm.wtr silent.wtr
expect 1 warmtrace compare --report /dev/null --fail-if 'exceptions.max > 14' silent.wtr --vs silent.wtr
# Statistics of several runs: 20, 20 and 40 ms against 40 ms.
several() { expect "$1" warmtrace compare --report /dev/null --fail-if "$2" run.wtr --vs faster.wtr run.wtr faster.wtr; }
several 1 'first_request.median <= -50%'
several 1 'first_request.mean < -33%'
several 0 'first_request.mean < -34%'
several 0 'first_request.max < +0ms'
several 1 'first_request.min < +0ms'
# Findings of any run.
expect 0 warmtrace compare --report /dev/null --fail-on lost-events run.wtr --vs faster.wtr
# Two gates, both said; wrong ones.
expect 1 warmtrace compare --report /dev/null --fail-if 'first_request < +1%' --fail-if 'exceptions > +1' run.wtr --vs storm.wtr
expect 2 warmtrace compare --fail-if 'first_request.median > 5%' run.wtr --vs faster.wtr
expect 125 warmtrace compare run.wtr --vs missing.wtr
# No scenario asks for a cache: there is nothing to require.
expect 0 warmtrace compare --report /dev/null run.wtr --vs run.wtr
