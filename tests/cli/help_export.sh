warmtrace export --help
