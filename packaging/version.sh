#!/bin/sh
# Prints the version of what is built here. At the tag of a release it is the release's. Elsewhere it is the version that is being made
# (packaging/versions), the number of commits behind this one, and this one. Debian and RPM order these by the number, and before the
# version itself. A source archive has it in packaging/version.
set -eu
cd "$(dirname "$0")/.."

if [ -e packaging/version ]; then
    exec cat packaging/version
fi
# A repository around an unpacked archive says nothing of it.
if ! [ -e .git ]; then
    echo "version.sh: there is neither a git repository here nor packaging/version; take an archive that packaging/archive.sh has made" >&2
    exit 1
fi
shallow=$(git rev-parse --is-shallow-repository)
if [ "$shallow" != false ]; then
    echo "version.sh: this clone has not all commits, so they cannot be counted; run git fetch --unshallow" >&2
    exit 1
fi
next=$(sed -n '$p' packaging/versions)
if [ -n "$(git tag --points-at HEAD --list "v$next")" ]; then
    echo "$next"
    exit 0
fi
count=$(git rev-list --count HEAD)
commit=$(git rev-parse --short=12 HEAD)
echo "$next~dev$count+g$commit"
