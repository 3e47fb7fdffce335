#!/bin/sh
# Builds the RPM package and the one of its debugging symbols into .build/rpm, and of what is committed the source package into .build/rpm/source; has rpmlint judge both.
#
# usage: rpm.sh [RELEASE]     RELEASE: of the package; by default 1. Another one is built into .build/rpm-RELEASE.
set -eu
cd "$(dirname "$0")/.."

sh packaging/dependencies.sh build rpm
release=${1:-1}
output=$PWD/.build/rpm${1:+-$1}
tree=$output/tree
rm -rf "$output"
sh packaging/source-tree.sh "$tree"

# build OPTION...: rpmbuild, with systemd's macros where rpm has none. --nodeps: on another kind of distribution the same libraries come from
# packages of other names.
macros=$PWD/packaging/rpm/macros
build() {
    if [ -z "$(rpm --eval '%{?systemd_post:yes}')" ]; then
        set -- --load="$macros" "$@"
    fi
    rpmbuild --nodeps "$@"
}

log=$output/build.log
if ! (cd "$tree" && build -bb --build-in-place --define 'built_already yes' --define "release_of_source $release" \
    --define "_topdir $output" --define "_rpmdir $output" --define "_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm" \
    packaging/rpm/pam-cognito.spec) >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi

set -- "$output"/*.rpm
# A source archive is what the source package would be made of.
if [ -e .git ]; then
    archive=$(sh packaging/archive.sh)
    version=${archive##*/pam-cognito-}
    spec=$output/SPECS/pam-cognito.spec
    mkdir -p "$output/SPECS" "$output/SOURCES"
    mv "$archive" "$output/SOURCES/"
    git show HEAD:packaging/rpm/pam-cognito.spec | sed "s/^\(Version: *\).*/\1${version%.tar.gz}/" >"$spec"
    if ! build -bs --define "release_of_source $release" --define "_topdir $output" --define "_srcrpmdir $output/source" \
        "$spec" >"$log" 2>&1; then
        cat "$log" >&2
        exit 1
    fi
    set -- "$spec" "$output"/source/*.src.rpm "$@"
fi
if ! rpmlint --strict --config packaging/rpm/rpmlint.toml "$@" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
rm -rf "$tree" "$output/BUILD" "$output/BUILDROOT" "$output/SOURCES" "$output/SPECS" "$output/RPMS" "$output/SRPMS"
find "$output" -maxdepth 1 -name 'pam-cognito-[0-9]*.rpm'
