"""Tests of the packages that `make deb` and `make rpm` build; they are built first, so these tests run on demand."""
