# The page about a finding, alone and with what a run has of it.
recording run.wtr
recording lossy.wtr lossy
warmtrace report --explain lost-events
warmtrace report --explain lost-events run.wtr | sed -n 3p
warmtrace report --explain lost-events lossy.wtr | grep -oE "^(Events were lost|evidence  |remedy  )"
warmtrace report --explain lost-events --report page.txt
warmtrace report --explain lost-events | cmp - page.txt
expect 2 warmtrace report --explain lost-event
expect 2 warmtrace report --explain nonsense
expect 2 warmtrace report --explain lost-events --format json
expect 125 warmtrace report --explain lost-events missing.wtr
# Every finding that the program can make has a page.
source=$TESTS/../../user/analyze/findings_internal.h
grep -oE 'F\([a-z_]+, "[a-z-]+"' "$source" | cut -d '"' -f 2 | while read -r id; do
  [ "$(warmtrace report --explain "$id" | wc -l)" -gt 5 ] || echo "no page: $id"
done
