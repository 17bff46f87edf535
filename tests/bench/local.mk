# make bench
