warmtrace compare --help
