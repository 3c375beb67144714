# Values that are not what the option takes.
expect 2 warmtrace -n x -- true
expect 2 warmtrace -n -1 -- true
expect 2 warmtrace -n '' -- true
expect 2 warmtrace -n 3x -- true
expect 2 warmtrace --warm=99999999999999999999999 -- true
expect 2 warmtrace -c 0 -- true
expect 2 warmtrace --requests 0 -- true
expect 2 warmtrace --ready-timeout 0 -- true
expect 2 warmtrace --ready-timeout 5x -- true
expect 2 warmtrace --request-timeout 1.s -- true
expect 2 warmtrace --stop-timeout -- -- true
expect 2 warmtrace --sample-rate 1000000 -- true
expect 2 warmtrace --buffer 1K -- true
expect 2 warmtrace --buffer 16Q -- true
expect 2 warmtrace --buffer 99999999999G -- true
expect 2 warmtrace --color blue -- true
expect 2 warmtrace --format xml -- true
expect 2 warmtrace --output - -- true
expect 2 warmtrace --output same --report same -- true
expect 2 warmtrace attach -p 0
expect 2 warmtrace attach -p 99999999999
expect 2 warmtrace export --format gif x.wtr
expect 2 warmtrace export --by time x.wtr
expect 2 warmtrace export --phase cold x.wtr
expect 2 warmtrace bench --scenario true
expect 2 warmtrace bench --scenario =true
expect 2 warmtrace bench --scenario a=
expect 2 warmtrace bench --scenario a=true --scenario a=false
expect 2 warmtrace bench --runs 0 --scenario a=true
expect 2 warmtrace aot --gc g1,cms -- java
expect 2 warmtrace aot --gc g1,,zgc -- java
expect 2 warmtrace aot --gc g1,g1 -- java
expect 2 warmtrace aot --layout jar -- java
expect 2 warmtrace compare --name a,a a.wtr --vs b.wtr
expect 2 warmtrace report --fail-on '' x.wtr
