#!/bin/sh
# Whether what is committed here is built to the same files in two folders, of other names and lengths: two whole builds.
#
# usage: same-in-any-folder.sh [FOLDER]      where they are built; a temporary folder by itself
set -eu
cd "$(dirname "$0")/.."

scratch=${1:-$(mktemp -d)}
[ $# -gt 0 ] || trap 'rm -rf "$scratch"' EXIT
one=$scratch/one
archive=$(sh packaging/archive.sh)
other=$scratch/another/with-a-longer-name
for folder in "$one" "$other"; do
    mkdir -p "$folder"
    tar -xzf "$archive" --strip-components=1 -C "$folder"
    sh "$folder/packaging/build.sh"
done

status=0
for file in "$one"/.build/product/*; do
    name=$(basename "$file")
    if cmp -s "$file" "$other/.build/product/$name"; then
        sha256sum "$file" | sed "s|  .*|  $name|"
    else
        echo "same-in-any-folder.sh: $name is another one in another folder" >&2
        status=1
    fi
    if grep -aqF "$scratch" "$file"; then
        echo "same-in-any-folder.sh: $name has the folder in it that it was built in" >&2
        status=1
    fi
done
exit $status
