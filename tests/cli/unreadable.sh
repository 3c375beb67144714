# Files that are no recordings, or not whole ones: status 125 and one line, or what was recorded.
recording run.wtr
: >empty.wtr
echo 'hello, this is text' >text.wtr
head -c 20 run.wtr >header.wtr
head -c 200 run.wtr >cut.wtr
mkdir folder.wtr
cp run.wtr secret.wtr
chmod 0 secret.wtr

expect 125 warmtrace report missing.wtr
expect 125 warmtrace report empty.wtr
expect 125 warmtrace report text.wtr
expect 125 warmtrace report header.wtr
expect 125 warmtrace report cut.wtr
expect 125 warmtrace report folder.wtr
expect 125 as_user warmtrace report secret.wtr
expect 125 warmtrace report /dev/null
expect 125 warmtrace report $'name with\nnewline \e[31m.wtr'
expect 125 warmtrace export --format folded missing.wtr
expect 125 warmtrace compare missing.wtr --vs run.wtr
