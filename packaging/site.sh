#!/bin/sh
# Builds the website of the documents into .build/site. A link or an anchor that leads nowhere is an error.
#
# Needs Python 3.11 or newer, and the packages of docs/requirements.txt, which it installs into .build/site-venv.
set -eu
cd "$(dirname "$0")/.."

environment=.build/site-venv
if ! cmp -s docs/requirements.txt "$environment/requirements.txt"; then
    rm -rf "$environment"
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --requirement docs/requirements.txt
    # Last, so that an interrupted installation is not taken for a finished one.
    cp docs/requirements.txt "$environment/requirements.txt"
fi
# The documents of the root directory, too, so that the links between them are right.
rm -rf .build/site-source
mkdir -p .build/site-source
cp -R ./*.md LICENSE docs .build/site-source/
rm .build/site-source/docs/requirements.txt
NO_MKDOCS_2_WARNING=1 "$environment/bin/mkdocs" --quiet build --strict --clean
echo "The website is in .build/site: open .build/site/index.html."
