# The Python modules: the views of the store, and a plug-in of pytest, which finds
# it by the entry point among the metadata. Plain files, no build.
pymodulesdir = $(pkgdatadir)/python
dist_pymodules_DATA = python/aqueduct_pytest.py
pymoduledir = $(pymodulesdir)/aqueduct
dist_pymodule_DATA = python/aqueduct/__init__.py
pymetadatadir = $(pymodulesdir)/aqueduct-$(PACKAGE_VERSION).dist-info
dist_pymetadata_DATA = python/metadata/entry_points.txt
pymetadata_DATA = python/metadata/METADATA
EXTRA_DIST += doc/python.md
