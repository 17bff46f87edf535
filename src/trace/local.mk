# trace: sources are listed here.
