warmtrace bench --help
