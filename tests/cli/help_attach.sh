warmtrace attach --help
