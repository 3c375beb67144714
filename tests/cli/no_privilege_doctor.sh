JAVA_HOME=/none PATH=$(dirname "$(command -v warmtrace)"):/usr/bin:/bin
mkdir empty
PATH=$(dirname "$(command -v warmtrace)"):$PWD/empty:/usr/sbin
export JAVA_HOME PATH
if [ "$(/usr/bin/id -u)" = 0 ]; then
  /usr/bin/setpriv --reuid=65534 --regid=65534 --clear-groups warmtrace doctor
else
  warmtrace doctor
fi
