# -r, -X, -H and -d.
expect 2 warmtrace -r 127.0.0.1:8080/x -- true
expect 2 warmtrace -r localhost:8080/x -- true
expect 2 warmtrace -r ftp://127.0.0.1/x -- true
expect 2 warmtrace -r 'http://' -- true
expect 2 warmtrace -r http://user:password@/x -- true
expect 2 warmtrace -r 'ftp://user:password@host/?token=abc' -- true
expect 2 warmtrace -X 'GET /' -r http://127.0.0.1/ -- true
expect 2 warmtrace -X '' -r http://127.0.0.1/ -- true
expect 2 warmtrace -H 'no header' -r http://127.0.0.1/ -- true
expect 2 warmtrace -H ': value' -r http://127.0.0.1/ -- true
expect 2 warmtrace -H $'A: b\r\nC: d' -r http://127.0.0.1/ -- true
expect 2 warmtrace -H @no-such-file -r http://127.0.0.1/ -- true
expect 2 warmtrace -d @no-such-file -r http://127.0.0.1/ -- true
expect 2 warmtrace -d a=b -- true
expect 2 warmtrace -H 'Accept: text/plain' -- true
expect 2 warmtrace -X PUT -- true
expect 2 warmtrace --requests 3 -r http://127.0.0.1/ -- true
expect 2 warmtrace --requests 3 --load 'true' -- true
