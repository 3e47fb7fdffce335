#!/bin/sh
# Makes the source archive of what is committed here, with the version in it, and prints its path. One commit gives the same file.
set -eu
cd "$(dirname "$0")/.."

version=$(sh packaging/version.sh)
folder=pam-cognito-$version
archive=.build/$folder.tar.gz
mkdir -p .build
git archive --output="$archive" --prefix="$folder/" --add-virtual-file="$folder/packaging/version:$version" HEAD
echo "$PWD/$archive"
