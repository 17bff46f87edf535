# report: sources are listed here.
