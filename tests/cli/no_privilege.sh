# Without root nothing can be traced; by the order of exit statuses a command that is not there is said first.
expect 125 as_user warmtrace -- true
expect 125 as_user warmtrace record true
expect 125 as_user warmtrace attach -p $$
expect 127 as_user warmtrace -- no-such-command
expect 127 as_user warmtrace -- ./no-such-file
expect 126 as_user warmtrace -- /etc/passwd
expect 126 as_user warmtrace -- /
expect 2 as_user warmtrace --no-such-option -- no-such-command
ls
expect 125 as_user warmtrace aot -- true
expect 127 as_user warmtrace aot -- no-such-command
expect 125 as_user warmtrace bench --scenario a=true
