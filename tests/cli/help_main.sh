warmtrace --help
