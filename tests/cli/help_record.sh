warmtrace record --help
