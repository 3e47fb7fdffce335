#!/bin/sh
# Builds the RPM package into .build/rpm.
#
# usage: rpm.sh [RELEASE]     RELEASE: of the package; by default 1. Another one is built into .build/rpm-RELEASE.
set -eu
cd "$(dirname "$0")/.."

sh packaging/dependencies.sh build rpm
release=${1:-1}
output=$PWD/.build/rpm${1:+-$1}
tree=$output/tree
rm -rf "$output"
sh packaging/source-tree.sh "$tree"

# --nodeps: on another kind of distribution the same libraries come from packages of other names.
log=$output/build.log
if ! (cd "$tree" && rpmbuild -bb --build-in-place --nodeps --define "release_of_source $release" \
    --define "_topdir $output" --define "_rpmdir $output" --define "_rpmfilename %{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm" \
    packaging/rpm/pam-cognito.spec) >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
rm -rf "$tree" "$output/BUILD" "$output/BUILDROOT"
find "$output" -name '*.rpm'
