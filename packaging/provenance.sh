#!/bin/sh
# Prints where packages come from (in-toto statement, SLSA provenance v1, build level 1: it exists and is not signed): their checksums, and
# the commit and the compiler that they were built with. Nothing in it says when.
#
# usage: provenance.sh PACKAGE...
set -eu

lines=
for package in "$@"; do
    sum=$(sha256sum "$package")
    lines="$lines${lines:+,}
    {\"name\": \"$(basename "$package")\", \"digest\": {\"sha256\": \"${sum%% *}\"}}"
done
cd "$(dirname "$0")/.."
version=$(sh packaging/version.sh)
# An archive does not have the commit: its version names it.
source="{\"uri\": \"pkg:generic/pam-cognito@$version\"}"
committed=true
if [ -e .git ]; then
    source="{\"uri\": \"git+https://pam-cognito.invalid/source.git\", \"digest\": {\"gitCommit\": \"$(git rev-parse HEAD)\"}}"
    [ -z "$(git status --porcelain)" ] || committed=false
fi
compiler=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' | head -n 1)

cat <<END
{
  "_type": "https://in-toto.io/Statement/v1",
  "subject": [$lines
  ],
  "predicateType": "https://slsa.dev/provenance/v1",
  "predicate": {
    "buildDefinition": {
      "buildType": "https://pam-cognito.invalid/packaging/build.sh",
      "externalParameters": {"version": "$version", "allCommitted": $committed},
      "resolvedDependencies": [
        $source,
        {"uri": "pkg:generic/swift@$compiler"}
      ]
    },
    "runDetails": {"builder": {"id": "https://pam-cognito.invalid/builder"}}
  }
}
END
