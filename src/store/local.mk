# store: sources are listed here.
