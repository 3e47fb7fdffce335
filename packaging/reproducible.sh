#!/bin/sh
# Whether what is committed here is built to the same files again, if everything around it is another: the time, the locale, the build path,
# the host name and the number of processors. Two whole builds from the source archive, as root for the host name.
#
# usage: reproducible.sh [DIRECTORY]      where they are built; a temporary directory by default
set -eu
cd "$(dirname "$0")/.."

sh packaging/dependencies.sh build reproducible
scratch=${1:-$(mktemp -d)}
[ $# -gt 0 ] || trap 'rm -rf "$scratch"' EXIT
one=$scratch/one
other=$scratch/another/with-a-longer-name
archive=$(sh packaging/archive.sh)

# unpacked DIRECTORY: the sources there, unless its build is there already.
unpacked() {
    [ ! -e "$1/.build/product/pam-cognito.cdx.json" ] || return 1
    mkdir -p "$1"
    tar -xzf "$archive" --strip-components=1 -C "$1"
}

if unpacked "$one"; then
    sh "$one/packaging/build.sh"
fi
if unpacked "$other"; then
    # Turkish: an I is not the capital of an i there.
    mkdir -p "$scratch/locales"
    localedef -i tr_TR -f UTF-8 "$scratch/locales/tr_TR.UTF-8"
    # shellcheck disable=SC2016 # it is the inner shell's
    unshare --uts sh -euc 'hostname somewhere-else; exec "$@"' sh \
        env TZ=Pacific/Kiritimati LANG=tr_TR.UTF-8 LC_ALL=tr_TR.UTF-8 LOCPATH="$scratch/locales" \
        faketime -f +400d taskset --cpu-list 0 sh "$other/packaging/build.sh"
fi

status=0
for file in "$one"/.build/product/*; do
    name=$(basename "$file")
    if cmp -s "$file" "$other/.build/product/$name"; then
        sha256sum "$file" | sed "s|  .*|  $name|"
    else
        echo "reproducible.sh: $name is another one when it is built again" >&2
        status=1
    fi
    if grep -aqF -e "$scratch" -e somewhere-else "$file"; then
        echo "reproducible.sh: $name says where it was built" >&2
        status=1
    fi
done
exit $status
