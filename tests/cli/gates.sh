# served.trace: first request 40 ms, warm 3.5 ms, 3 stack traces filled in the startup and 7 in the first request.
recording run.wtr
check() { expect "$1" warmtrace report --report /dev/null --fail-if "$2" run.wtr; }

check 1 'first_request > 39999999ns'
check 0 'first_request > 40ms'
check 1 'first_request >= 40ms'
check 1 'first_request<41ms'
check 0 'first_request < 40ms'
check 1 'first_request <= 0.04s'
check 1 'warm > 3.4ms'
check 0 'warm > 3.5ms'
check 1 'excess >= 36.5ms'
check 1 'ready > 99.9ms'
check 0 'ready > 100ms'
check 1 'exceptions > 9'
check 0 'exceptions > 10'
check 1 'startup.exceptions >= 3'
check 1 'first_request.exceptions >= 7'
check 0 'warm.exceptions > 0'
check 1 'exception.fill >= 3.5ms'
check 0 'exception.fill > 3.5ms'
check 1 'exception >= 3.5ms'
check 0 'fault.minor.heap > 0'
check 0 'errors > 0'
check 0 'lost_events > 0'
check 1 'requests >= 5'
# What was not observed does not pass.
check 1 'peak_rss > 1M'
check 1 'memory.heap > 1M'
# Each gate that fails is said.
expect 1 warmtrace report --report /dev/null --fail-if 'warm > 1s' --fail-if 'warm > 1ms' --fail-if 'exceptions > 0' run.wtr
