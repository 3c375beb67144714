# A verb that is misspelt or not the first word is not taken for a command.
expect 2 warmtrace reprot x.wtr
expect 2 warmtrace -v report x.wtr
expect 2 warmtrace exprot x.wtr
# After -- everything is a command.
as_user warmtrace -- reprot x.wtr
echo "status $?" >&2
