# cmdbuf: sources are listed here.
