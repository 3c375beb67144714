warmtrace --version
warmtrace report --version
warmtrace --version --no-such-option
warmtrace --help >/dev/full || echo "status $?" >&2
