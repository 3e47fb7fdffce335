# Everything is a script that can be run by itself; these are its usual names.
PREFIX = /usr
DESTDIR =

all:
	PREFIX='$(PREFIX)' sh packaging/build.sh

install:
	PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' sh packaging/install.sh

test:
	Tests/run

demo:
	Tests/demo

demo-shell:
	Tests/demo --shell

clean:
	rm -rf .build

.PHONY: all install test demo demo-shell clean
