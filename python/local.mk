# The Python module over the views of the store: plain files, no build.
pymoduledir = $(pkgdatadir)/python/aqueduct
dist_pymodule_DATA = python/aqueduct/__init__.py
EXTRA_DIST += doc/python.md
