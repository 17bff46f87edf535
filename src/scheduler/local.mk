# scheduler: sources are listed here.
