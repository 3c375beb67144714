# --fail-if: what is no gate, and what is none here.
expect 2 warmtrace --fail-if '' -- true
expect 2 warmtrace --fail-if '> 3' -- true
expect 2 warmtrace --fail-if first_request -- true
expect 2 warmtrace --fail-if 'first_request == 300ms' -- true
expect 2 warmtrace --fail-if 'first_request >' -- true
expect 2 warmtrace --fail-if 'first_request > 300' -- true
expect 2 warmtrace --fail-if 'first_request > 300MB' -- true
expect 2 warmtrace --fail-if 'frist_request > 300ms' -- true
expect 2 warmtrace --fail-if 'exceptions > 1.5' -- true
expect 2 warmtrace --fail-if 'exceptions > many' -- true
expect 2 warmtrace --fail-if 'peak_rss > 3ms' -- true
expect 2 warmtrace --fail-if 'class.reed > 3ms' -- true
expect 2 warmtrace --fail-if 'memory.rom > 3M' -- true
expect 2 warmtrace --fail-if 'first_request > 5%' -- true
expect 2 warmtrace --fail-if 'first_request > +x%' -- true
# Changes and statistics need several runs and a baseline.
expect 2 warmtrace --fail-if 'first_request > +5%' -- true
expect 2 warmtrace --fail-if 'exceptions > +10' -- true
expect 2 warmtrace report --fail-if 'first_request.median > 300ms' x.wtr
