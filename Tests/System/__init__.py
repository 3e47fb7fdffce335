"""The package on a Debian of its own that is booted with systemd: `make system-test`."""
