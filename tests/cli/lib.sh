# shellcheck shell=bash
# What the scripts of this folder share; run_case.py sources it before each.

# expect STATUS COMMAND...: runs it and says on standard output where its exit status is another.
expect() {
  local wanted=$1 status=0
  shift
  "$@" || status=$?
  [ "$status" = "$wanted" ] || echo "exit status $status, not $wanted: $*"
}

# as_user COMMAND...: without root, whoever runs the tests.
as_user() {
  if [ "$(id -u)" = 0 ]; then
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
  else
    "$@"
  fi
}

# recording FILE [TRACE]: makes a recording from a text trace of this folder.
recording() {
  "$WRITE_RECORDING" "$TESTS/${2:-served}.trace" "$1"
}

skip() {
  echo "skipped: $*"
  exit 77
}
