# --fail-on: findings by name. lossy.trace has lost-events.
recording run.wtr
recording lossy.wtr lossy
expect 0 warmtrace report --report /dev/null --fail-on lost-events run.wtr
expect 1 warmtrace report --report /dev/null --fail-on lost-events lossy.wtr
expect 1 warmtrace report --report /dev/null --fail-on oom-killed,lost-events --fail-on thread-burst lossy.wtr
expect 0 warmtrace report --report /dev/null --fail-on oom-killed lossy.wtr
expect 1 warmtrace report --report /dev/null --fail-if 'lost_events >= 3' lossy.wtr
expect 2 warmtrace report --fail-on lost-event lossy.wtr
expect 2 warmtrace report --fail-on lost-events, lossy.wtr
expect 2 warmtrace report --fail-on nonsense lossy.wtr
