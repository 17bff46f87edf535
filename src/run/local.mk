# run: sources are listed here.
