# Where a report goes.
recording run.wtr
warmtrace report run.wtr >direct.txt
warmtrace report --report file.txt run.wtr
warmtrace report --report=- run.wtr >dash.txt
warmtrace report --report /dev/stdout run.wtr >device.txt
cmp direct.txt file.txt
cmp direct.txt dash.txt
cmp direct.txt device.txt
stat -c '%a %n' file.txt
# An older file is kept under another name.
warmtrace report --format json --report file.txt run.wtr
cmp direct.txt file.txt.old
head -c 1 file.txt && echo
# Options may stand after the file; --format is -f.
warmtrace report run.wtr -f json | cmp - file.txt
# Nothing is written through a link that is in the way.
echo precious >target
ln -s target link
expect 125 warmtrace report --report link run.wtr
cat target
expect 125 warmtrace report --report no-such-folder/report.txt run.wtr
expect 125 warmtrace report --report . run.wtr
expect 125 warmtrace report --report /dev/full run.wtr
warmtrace report run.wtr >/dev/full
echo "status $?" >&2
warmtrace report --format json run.wtr >/dev/full
echo "status $?" >&2
