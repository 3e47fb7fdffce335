#!/bin/sh
# Copies the sources, and what has been built of them, into a folder where a package's tools may write. Like a source archive it has the
# version in it, which its change log names.
#
# usage: source-tree.sh FOLDER
set -eu
cd "$(dirname "$0")/.."

PREFIX=/usr sh packaging/build.sh
mkdir -p "$1/.build"
tar -cf - --exclude=./.build --exclude=./.git --exclude=__pycache__ . | tar -xf - -C "$1"
cp -a .build/product "$1/.build/"
version=$(tr -d '\0' <.build/version)
echo "$version" >"$1/packaging/version"
sed -i "1s/([^)]*)/($version-1)/" "$1/packaging/debian/changelog"
sed -i "s/^\(Version: *\).*/\1$version/" "$1/packaging/rpm/pam-cognito.spec"
