# backend_sim: sources are listed here.
