# What is no option, or none of this verb.
expect 2 warmtrace
expect 2 warmtrace -q
expect 2 warmtrace --
expect 2 warmtrace -- ''
expect 2 warmtrace --requst http://127.0.0.1/ -- true
expect 2 warmtrace -Z -- true
expect 2 warmtrace --qq -- true
expect 2 warmtrace -qZ -- true
expect 2 warmtrace --quiet=yes -- true
expect 2 warmtrace --output
expect 2 warmtrace -o
expect 2 warmtrace --output= -- true
expect 2 warmtrace --warm 3
expect 2 warmtrace -p 1 -- true
expect 2 warmtrace --runs 3 -- true
expect 2 warmtrace record --format json -- true
expect 2 warmtrace record
expect 2 warmtrace report
expect 2 warmtrace report --request http://127.0.0.1/ x.wtr
expect 2 warmtrace report a.wtr b.wtr
expect 2 warmtrace report --vs a.wtr
expect 2 warmtrace attach
expect 2 warmtrace attach -p 1 --wait-for java
expect 2 warmtrace attach -p 1 java
expect 2 warmtrace attach --keep-running -p 1
expect 2 warmtrace bench
expect 2 warmtrace bench --keep-running --scenario a=true
expect 2 warmtrace bench --scenario a=true -- true
expect 2 warmtrace aot
expect 2 warmtrace compare
expect 2 warmtrace compare a.wtr
expect 2 warmtrace compare --vs b.wtr
expect 2 warmtrace compare a.wtr --vs
expect 2 warmtrace compare --name a a.wtr --vs b.wtr
expect 2 warmtrace compare --name a,b,c a.wtr --vs b.wtr
expect 2 warmtrace export
expect 2 warmtrace doctor now
expect 2 warmtrace doctor --format json
