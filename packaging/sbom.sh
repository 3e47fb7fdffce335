#!/bin/sh
# Prints what the programs in .build/product are made of (CycloneDX 1.5, JSON): the libraries that each is linked with, by the Debian
# packages that they are of here, and what is inside of them. Nothing in it says when or where it was made.
set -eu
cd "$(dirname "$0")/.."

product=.build/product
# What packaging/build.sh has written into them: there may be another commit meanwhile.
version=$(tr -d '\0' <.build/version)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# package_of FILE: "name version architecture" of the package that has it, under either name where /lib is a link into /usr.
package_of() {
    file=$(readlink -f "$1")
    owner=$(dpkg-query -S "$file" "${file#/usr}" 2>/dev/null | head -n 1 | cut -d : -f 1)
    # shellcheck disable=SC2016 # dpkg-query's own
    [ -n "$owner" ] && dpkg-query -W -f '${binary:Package} ${Version} ${Architecture}\n' "$owner" | sed 's/:[^ ]*//' | head -n 1
}

# add PROGRAM NAME VERSION ARCHITECTURE
add() {
    if [ "$4" = - ]; then
        reference=pkg:generic/$2@$3
    else
        reference="pkg:deb/debian/$2@$3?arch=$4"
    fi
    echo "$reference" >>"$scratch/of-$1"
    printf '    {"type": "library", "bom-ref": "%s", "name": "%s", "version": "%s", "purl": "%s"}\n' \
        "$reference" "$2" "$3" "$reference" >>"$scratch/components"
}

swift=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' | head -n 1)
library=$(clang -print-file-name=libstdc++.a)
for file in "$product"/cognito-* "$product"/pam_cognito.so; do
    program=$(basename "$file")
    readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >"$scratch/needed"
    while read -r needed; do
        found=$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p | sed -n "s/^[[:space:]]*$needed (.*=> //p" | head -n 1)
        # shellcheck disable=SC2046 # three words
        [ -z "$found" ] || add "$program" $(package_of "$found")
    done <"$scratch/needed"
    # Inside of it: Swift's runtime, but for those that are Embedded Swift, and what that needs of libstdc++.
    case $program in
        pam_cognito.so | cognito-accounts) ;;
        *)
            add "$program" swift-runtime "$swift" -
            # shellcheck disable=SC2046 # three words
            [ ! -f "$library" ] || add "$program" $(package_of "$library")
            ;;
    esac
done

# lines FILE: its lines, each once, with commas between them.
lines() {
    sort -u "$1" | sed '$!s/$/,/'
}

cat <<END
{
  "bomFormat": "CycloneDX",
  "specVersion": "1.5",
  "version": 1,
  "metadata": {"component": {"type": "application", "bom-ref": "pam-cognito", "name": "pam-cognito", "version": "$version"}},
  "components": [
END
for file in "$scratch"/of-*; do
    program=${file##*/of-}
    printf '    {"type": "file", "bom-ref": "%s", "name": "%s"},\n' "$program" "$program"
done
lines "$scratch/components"
echo '  ],'
echo '  "dependencies": ['
for file in "$scratch"/of-*; do
    printf '    {"ref": "%s", "dependsOn": [%s]}\n' "${file##*/of-}" "$(sort -u "$file" | sed 's/.*/"&"/; $!s/$/, /' | tr -d '\n')"
done >"$scratch/dependencies"
lines "$scratch/dependencies"
echo '  ]'
echo '}'
