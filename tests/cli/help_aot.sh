warmtrace aot --help
