#!/bin/sh
# Builds what is installed into .build/product: pam_cognito.so and cognito-accounts (Embedded Swift), cognito-worker, cognito-agent,
# cognito-doctor and cognito-session (Swift's runtime linked in). A release keeps its symbols and line numbers there: packages have them
# apart, install.sh leaves them out. Does nothing when nothing has changed.
#
# usage: build.sh [--debug]
# --debug      for the tests, after swift build --build-tests: the module and cognito-accounts as they are installed, and programs that are linked
#              from what that has compiled, which saves a second build of everything
# environment: PREFIX (default /usr), where the programs will be installed: the module looks for the worker there
set -eu
cd "$(dirname "$0")/.."

prefix=${PREFIX:-/usr}
case $prefix in
    /*) ;;
    *)
        echo "build.sh: PREFIX must be an absolute path, not '$prefix'" >&2
        exit 64
        ;;
esac
build=release
case ${1:-} in
    "") ;;
    --debug) build=debug ;;
    *)
        echo "build.sh: unknown option '$1'; there is --debug" >&2
        exit 64
        ;;
esac
product=.build/product
export PAM_COGNITO_PREFIX="$prefix"

if ! command -v swift >/dev/null 2>&1; then
    echo "build.sh: swift is not in PATH; Swift 6.2 or newer is needed (https://www.swift.org/install/linux/)" >&2
    exit 1
fi
# Of what is for the tests alone nobody asks which version it is.
if ! version=$(sh packaging/version.sh); then
    [ "$build" = debug ] || exit 1
    version=unknown
fi
sh packaging/dependencies.sh build

# A build says what it does only when it fails, or when somebody is watching it take its minutes.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
# SwiftPM leaves empty folders in the temporary folder, a dozen each time.
export TMPDIR="$work"
quietly() {
    if [ -t 1 ]; then
        "$@"
    elif ! "$@" >"$log" 2>&1; then
        cat "$log" >&2
        return 1
    fi
}

# Swift's runtime has 17,000 places that depend on where it is loaded, and needs some of libstdc++, which has 5,000. Listed
# compactly, and the static library found before the shared one, they take half the time that a program needs to start. One
# shared library less, libgcc_s, is another tenth.
static=$PWD/.build/static
mkdir -p "$static"
library=$(clang -print-file-name=libstdc++.a) && [ -f "$library" ] && ln -sf "$library" "$static/"

# Line numbers are enough to read a core dump: SwiftPM's own format would copy Swift's modules into each program. Tools of packages (dwz,
# debugedit) know neither DWARF 5 nor a table of names beside DWARF 4.
# The same files come of it in any folder, with the compiler anywhere: line numbers and messages of C's macros name files relative to the
# sources and to the compiler, and no module of clang's is named, whose path has a hash of the folder in it. A hash of what the compiler
# was given, for builds that go on from another one, is of no use in a program.
compiler=$(swift -print-target-info | sed -n 's|.*"runtimeResourcePath" *: *"\(.*\)/lib/swift.*|\1|p')
swift_build() {
    swift build -c release -debug-info-format none -Xcc -g1 -Xcc -gdwarf-4 \
        -Xswiftc -gline-tables-only -Xswiftc -Xllvm -Xswiftc -accel-tables=Disable \
        -Xcc "-ffile-prefix-map=$PWD=." -Xcc "-ffile-prefix-map=$compiler=/usr" \
        -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xswiftc -file-prefix-map -Xswiftc "$compiler=/usr" \
        -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen \
        --no-color-diagnostics --disable-local-rpath "$@"
}

if [ "$build" = release ]; then
    # One call of swift build takes one product, so all of them are built together.
    # Colored diagnostics would be another command for the compiler, and so a whole build, for whoever watches.
    (
        export PAM_COGNITO_RELEASE=1
        quietly swift_build --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker "-L$static" -Xlinker -z \
            -Xlinker pack-relative-relocs -Xswiftc -Xclang-linker -Xswiftc -static-libgcc
    )
fi
(
    export PAM_COGNITO_EMBEDDED=1
    quietly swift_build --scratch-path .build/embedded
)
embedded=.build/embedded/release

# link_debug PROGRAM: as the release is linked, out of the objects of the debug build, where main has the program's name.
link_debug() {
    linked=.build/debug/$1.static
    if [ -z "$(find "$linked" -newer ".build/debug/$1" 2>/dev/null)" ]; then
        quietly swiftc -static-stdlib -use-ld=lld "-L$static" -Xclang-linker -static-libgcc \
            "@.build/debug/$1.product/Objects.LinkFileList" -Xlinker --as-needed \
            -Xlinker -lcurl -Xlinker -lssl -Xlinker -lcrypto -Xlinker -lqrencode -Xlinker -lkeyutils -Xlinker -ljansson -Xlinker -lseccomp -Xlinker -lpam \
            -Xlinker "--defsym=main=$(echo "$1" | tr - _)_main" \
            -Xlinker --gc-sections -Xlinker -z -Xlinker pack-relative-relocs -Xlinker -z -Xlinker now -o "$linked"
    fi
}

# collect FILE NAME OPTION...: copies a file by objcopy(1), when it is newer than the copy, or the version is. The copy takes its place
# in one step.
collect() {
    file=$1 name=$2
    shift 2
    if [ -n "$(find "$product/$name" -newer "$file" -newer "$stamp" 2>/dev/null)" ]; then
        return
    fi
    objcopy "$@" "$file" "$product/.$name"
    mv "$product/.$name" "$product/$name"
}
# Programs of the other build may be newer than those of this one.
was=release
[ ! -e "$product/.debug" ] || was=debug
if [ "$was" != "$build" ]; then
    rm -rf "$product"
fi
mkdir -p "$product"
# The version, as long as its place in the programs (Sources/CVersion): all that a commit changes in them by itself.
stamp=.build/version
printf %s "$version" | dd bs=64 conv=sync status=none >"$work/version"
cmp -s "$work/version" "$stamp" || cp "$work/version" "$stamp"
[ "$build" = release ] || touch "$product/.debug"
# The debug build's information is that of unoptimized programs, a hundred megabytes.
strip=
[ "$build" = release ] || strip=--strip-unneeded
# shellcheck disable=SC2086 # an option or none
collect "$embedded/libpam_cognito.so" pam_cognito.so $strip
# shellcheck disable=SC2086
collect "$embedded/cognito-accounts" cognito-accounts $strip
for program in cognito-worker cognito-agent cognito-doctor cognito-session; do
    if [ "$build" = release ]; then
        linked=.build/release/$program
    else
        link_debug "$program"
    fi
    # shellcheck disable=SC2086
    collect "$linked" "$program" $strip --update-section ".pam_cognito_version=$stamp"
done
# Where packages of libraries are known.
bom=$product/pam-cognito.cdx.json
if [ "$build" = release ] && command -v dpkg-query >/dev/null 2>&1 && [ -n "$(find "$product" -newer "$bom" 2>/dev/null || echo none)" ]; then
    sh packaging/sbom.sh >"$work/bom"
    mv "$work/bom" "$bom"
fi
