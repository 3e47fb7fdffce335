#!/bin/sh
# Builds the RPM package into .build/rpm.
set -eu
cd "$(dirname "$0")/.."

sh packaging/dependencies.sh build rpm
version=$(sh packaging/version.sh)
output=$PWD/.build/rpm
tree=$output/pam-cognito-$version
rm -rf "$output"
sh packaging/source-tree.sh "$tree"

# --nodeps: on another kind of distribution the same libraries come from packages of other names.
log=$output/build.log
if ! (cd "$tree" && rpmbuild -bb --build-in-place --nodeps --define "version_of_source $version" \
    --define "_topdir $output" --define "_rpmdir $output" --define "_rpmfilename %{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm" \
    packaging/rpm/pam-cognito.spec) >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
rm -rf "$tree" "$output/BUILD" "$output/BUILDROOT"
find .build/rpm -name '*.rpm'
