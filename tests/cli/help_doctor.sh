warmtrace doctor --help
