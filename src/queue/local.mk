# queue: sources are listed here.
