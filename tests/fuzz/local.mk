# make check-fuzz
