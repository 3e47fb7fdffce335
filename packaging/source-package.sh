#!/bin/sh
# Makes the Debian source package of what is committed here in .build/source, has lintian judge it, and prints the path of the .dsc. Beside
# it is the unpacked source with debian/ in its place, for dpkg-buildpackage --no-check-builddeps, uscan and autopkgtest. Swift 6.2 is
# no package in Debian: it has to be in PATH.
set -eu
cd "$(dirname "$0")/.."

sh packaging/dependencies.sh deb
archive=$(sh packaging/archive.sh)
version=${archive##*/pam-cognito-}
version=${version%.tar.gz}
output=.build/source
tree=$output/pam-cognito-$version
rm -rf "$output"
mkdir -p "$output"
tar -xzf "$archive" -C "$output"
mv "$archive" "$output/pam-cognito_$version.orig.tar.gz"
cp -R "$tree/packaging/debian" "$tree/debian"
sed -i "1s/([^)]*)/($version-1)/" "$tree/debian/changelog"

log=$output/build.log
if ! (cd "$tree" && dpkg-buildpackage --build=source --no-check-builddeps --no-pre-clean --unsigned-source --unsigned-changes) >"$log" 2>&1
then
    cat "$log" >&2
    exit 1
fi
sh packaging/judge.sh "$output/pam-cognito_$version-1_source.changes"
echo "$output/pam-cognito_$version-1.dsc"
