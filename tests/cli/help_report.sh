warmtrace report --help
