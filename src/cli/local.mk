# cli: sources are listed here.
