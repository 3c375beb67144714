#!/bin/bash
# A tree of shells with a known number of processes and programs; or such a tree around a command.
#
#   process_tree.sh                prints its truth as JSON
#   process_tree.sh CMD [ARG...]   runs CMD as the grandchild of this script, through `bash -c`, the way that start scripts do,
#                                  hands signals on to it and exits with its status
#
# Without CMD: 13 execs that succeed, the one of this script among them, 1 that fails, 10 forks.
set -euo pipefail

if [ $# -gt 0 ]; then
  # "; exit" keeps the inner shell: without it bash would replace itself by CMD, and no grandchild would be left.
  bash -c '"$@" & child=$!
           trap "kill -TERM $child 2>/dev/null" TERM INT
           # wait returns early for a trapped signal; the second one then has the status.
           wait $child; status=$?
           while kill -0 $child 2>/dev/null; do wait $child; status=$?; done
           exit $status' process_tree "$@" &
  inner=$!
  trap 'kill -TERM $inner 2>/dev/null' TERM INT
  status=0
  wait $inner || status=$?
  while kill -0 $inner 2>/dev/null; do
    status=0
    wait $inner || status=$?
  done
  exit "$status"
fi

# Paths and no builtins, so that each line is what it looks like. Numbers: execs / forks.
/bin/true                                        # 1 / 1
bash -c '/bin/true; /bin/true; :'                # 3 / 3   ":" keeps bash from replacing itself by the last command
bash -c 'exec /bin/true'                         # 2 / 1   one process, two programs
(exec -a renamed /bin/true)                      # 1 / 1   a process whose argv[0] is not its program
bash -c 'exec env WARMTRACE_TREE=1 /bin/true'    # 3 / 1   env looks for nothing: it is given a path
/bin/true | /bin/cat >/dev/null                  # 2 / 2   a pipeline
(exec /nonexistent/program) 2>/dev/null || :     # 0 / 1   and one that fails
echo '{"execs": 13, "execs_failed": 1, "forks": 10}'
