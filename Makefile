# Everything is a script that can be run by itself; these are its usual names.
PREFIX = /usr
DESTDIR =
STRIP = strip

all:
	PREFIX='$(PREFIX)' sh packaging/build.sh

install:
	@test ! -e .build/product/.debug || { echo 'install: these programs were built for the tests; run make first' >&2; exit 1; }
	PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' STRIP='$(STRIP)' sh packaging/install.sh

test:
	Tests/run

# On demand: each installs the tools that it needs.
deb:
	sh packaging/deb.sh

deb-source:
	sh packaging/source-package.sh

rpm:
	sh packaging/rpm.sh

deb-check: deb
	sh Tests/Packages/run test_deb.py test_symbols.py test_interrupted.py

source-check: deb-source
	sh Tests/Packages/run test_source.py

repository-check:
	sh packaging/dependencies.sh repository
	sh Tests/Packages/run test_repository.py

rpm-check: deb rpm
	sh Tests/Packages/run test_rpm.py

system-test: deb rpm
	sh Tests/System/run

site:
	sh packaging/site.sh

demo:
	Tests/demo

demo-shell:
	Tests/demo --shell

clean:
	rm -rf .build

.PHONY: all install test deb deb-source rpm deb-check source-check repository-check rpm-check system-test site demo demo-shell clean
