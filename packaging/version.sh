#!/bin/sh
# Prints the version, from the one place where it stands.
set -eu
cd "$(dirname "$0")/.."

sed -n 's/^package let version.*"\(.*\)"$/\1/p' Sources/Messages/Version.swift
