"""Integration tests: real hosts of PAM in private test machines made of namespaces."""
