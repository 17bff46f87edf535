# backend_hsa: sources are listed here.
