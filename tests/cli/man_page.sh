# The man page names every verb, option, count and milestone that the program knows, and no option that it does not.
page=$TESTS/../../docs/man/warmtrace.1
# Text without macros and fonts.
sed -E "s/^\.[A-Z]+ ?//; s/\\\\f.//g; s/\\\\-/-/g; s/[\",]/ /g" "$page" >text
names() { grep -oE '(^|[ (])-[-A-Za-z]+' | tr -d ' (' | grep -E '^(-[A-Za-z]|--[a-z-]+)$' | sort -u; }
for verb in '' record attach report compare bench aot export doctor; do
  warmtrace $verb --help | grep -E '^ +-' | sed -E 's/^ +//; s/  .*//'
  [ -z "$verb" ] || grep -q "^$verb" text || echo "no verb $verb"
done | tee rows | names >known
grep '^no verb' rows
names <text >said
diff known said
for name in opens failed_lookups jar_reads exceptions classes_initialized connects first_response peak_rss; do
  warmtrace --fail-if "$name > 0s" --version >/dev/null 2>&1 || warmtrace --fail-if "$name > 0" --version >/dev/null || echo "no metric $name"
done
grep -A 20 '^counts' text | grep -oE '[a-z_]+' | grep -E '_|^opens$|^reads$' | sort -u | while read -r name; do
  [ "$name" = first_request ] || warmtrace --fail-if "$name > 0" --version >/dev/null || echo "no count $name"
done
# The date is the one thing that mandoc misses.
if command -v mandoc >/dev/null; then
  mandoc -T lint -W warning "$page" | grep -v 'missing date'
fi
:
