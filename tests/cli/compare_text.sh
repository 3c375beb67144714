# What a comparison says: of a change, of itself, of three sets, of runs that answered nothing, and of other machines.
changed() { sed "$2" "$TESTS/served.trace" >"$1.trace" && "$WRITE_RECORDING" "$1.trace" "$1.wtr"; }
recording before.wtr
changed after 's/179ms\.\.180ms/159ms..160ms/'
changed elsewhere 's/cpus\\02/cpus\\08/; s/Linux 6.1/Linux 6.18/; s/x86_64/aarch64/'
sed '/socket_write/d' "$TESTS/served.trace" >silent.trace
"$WRITE_RECORDING" silent.trace silent.wtr

warmtrace compare before.wtr --vs after.wtr
echo "-- four of each"
warmtrace compare --name old,new before.wtr before.wtr before.wtr before.wtr --vs after.wtr after.wtr after.wtr after.wtr | head -n 8
echo "-- with itself"
warmtrace compare before.wtr before.wtr before.wtr before.wtr --vs before.wtr before.wtr before.wtr before.wtr | head -n 7
echo "-- three sets"
warmtrace compare before.wtr --vs after.wtr --vs before.wtr | head -n 11
echo "-- another machine, and a run without an answer"
warmtrace compare before.wtr --vs elsewhere.wtr silent.wtr | head -n 10
echo "-- no answer at all"
warmtrace compare silent.wtr --vs silent.wtr | head -n 6
echo "-- everything"
warmtrace compare -v before.wtr --vs after.wtr | tail -n 4
echo "-- hyperfine"
warmtrace compare --report /dev/null --export-json times.json before.wtr --vs after.wtr
tr -d '\n\t' <times.json
echo
