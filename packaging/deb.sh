#!/bin/sh
# Builds the Debian package and the one of its debugging symbols into .build/deb, and has lintian judge it: an error, a warning or an opinion (--pedantic) fails.
set -eu
cd "$(dirname "$0")/.."

sh packaging/dependencies.sh build deb
output=.build/deb
tree=$output/tree
rm -rf "$output"
sh packaging/source-tree.sh "$tree"
version=$(cat "$tree/packaging/version")
logged=$(dpkg-parsechangelog -l packaging/debian/changelog -S Version)
if [ "${version%%~*}-1" != "$logged" ]; then
    echo "deb.sh: packaging/debian/changelog is about $logged, and this is $version" >&2
    exit 1
fi

# Debian's tools want their folder at the top.
mv "$tree/packaging/debian" "$tree/debian"

# The programs are built here already. --no-check-builddeps: Swift need not be a package, and the rest is there.
log=$output/build.log
if ! (
    cd "$tree"
    PAM_COGNITO_BUILT=yes dpkg-buildpackage --build=binary --no-check-builddeps --no-pre-clean --unsigned-changes
) >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
rm -rf "$tree"
sh packaging/judge.sh "$output"/*.changes
package=$output/pam-cognito_${version}-1_$(dpkg --print-architecture).deb
sh packaging/provenance.sh "$output"/*.deb >"$output/provenance.json"
echo "$package"
