# Debian packages, and their test in a bare Debian 12.
EXTRA_DIST += \
	debian/aqueduct-doc.docs debian/aqueduct-doc.examples \
	debian/aqueduct-doc.lintian-overrides \
	debian/aqueduct-dropin.install debian/aqueduct.install \
	debian/changelog debian/control debian/copyright \
	debian/libaqueduct-dev.install debian/libaqueduct0.install \
	debian/python3-aqueduct.install \
	debian/rules debian/source/format \
	tests/packaging/deb.sh tools/deb.sh
.PHONY: deb check-deb
deb: distdir
	$(srcdir)/tools/deb.sh '$(distdir)' deb
	chmod -R u+w '$(distdir)' && rm -rf '$(distdir)'
check-deb: deb
	$(srcdir)/tests/packaging/deb.sh deb
