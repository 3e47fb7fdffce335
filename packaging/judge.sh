#!/bin/sh
# Has lintian judge a package: an error, a warning or an opinion (--pedantic) fails.
#
# usage: judge.sh FILE.changes
set -eu

said=$(lintian --allow-root --pedantic --tag-display-limit 0 "$1" 2>&1) || :
if [ -n "$said" ]; then
    printf '%s\n' "$said" >&2
    exit 1
fi
