#!/bin/sh
# Installs what build.sh has put into .build/product. Never touches /etc/pam.d: the service files go to the documentation,
# to be copied by whoever decides how people sign in to this machine.
#
# usage: install.sh [PREFIX=/usr] [DESTDIR=] [STRIP=strip]   (also from the environment)
# STRIP  takes symbols and line numbers out of the programs; empty keeps them, for the tools of packages, which put them into another package
set -eu
cd "$(dirname "$0")/.."

for argument in "$@"; do
    case $argument in
        PREFIX=*) PREFIX=${argument#PREFIX=} ;;
        DESTDIR=*) DESTDIR=${argument#DESTDIR=} ;;
        STRIP=*) STRIP=${argument#STRIP=} ;;
        *)
            echo "install.sh: unknown argument '$argument'; there are PREFIX=..., DESTDIR=... and STRIP=..." >&2
            exit 64
            ;;
    esac
done
prefix=${PREFIX:-/usr}
destdir=${DESTDIR:-}
strip=${STRIP-strip}
product=.build/product
accounts="_pam-cognito _pam-cognito-accounts"

for file in pam_cognito.so cognito-worker cognito-agent cognito-accounts cognito-doctor cognito-session; do
    if [ ! -f "$product/$file" ]; then
        echo "install.sh: $product/$file is missing; run packaging/build.sh first" >&2
        exit 1
    fi
done
# The worker's path is compiled in: from anywhere else it would not be found, and nobody could sign in.
if ! grep -qF "$prefix/libexec/pam-cognito/cognito-worker" "$product/pam_cognito.so"; then
    echo "install.sh: the programs were built for another PREFIX than '$prefix'; run PREFIX=$prefix packaging/build.sh" >&2
    exit 1
fi

# libpam looks for modules in the folder "security" beside itself, which the C library's own cache knows.
find_modules() {
    libpam=$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p | sed -n 's/^[[:space:]]*libpam\.so\.0 (.*=> //p' | head -n 1)
    if [ -z "$libpam" ]; then
        echo "install.sh: libpam.so.0 is not installed here" >&2
        return 1
    fi
    folder=$(dirname "$libpam")/security
    case $folder in
        /lib/* | /lib64/*)
            # Where /lib is a link into /usr, packages install into /usr.
            if [ -d "/usr$folder" ]; then
                folder=/usr$folder
            fi
            ;;
    esac
    echo "$folder"
}
modules=$(find_modules)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# put MODE FILE FOLDER NAME: whole or not at all, and without changing a file that a running session has loaded.
put() {
    [ -d "$destdir$3" ] || install -d -m 0755 "$destdir$3"
    install -m "$1" "$2" "$destdir$3/.$4.new"
    mv -f "$destdir$3/.$4.new" "$destdir$3/$4"
}

# put_all FOLDER FILE...: the same for files that keep their names and that everybody may read, with three programs
# for all of them instead of two for each.
put_all() {
    new=$destdir$1/.new
    shift
    install -d -m 0755 "$new"
    install -m 0644 -t "$new" "$@"
    mv -f "$new"/* "${new%/*}"
    rmdir "$new"
}

# program MODE NAME FOLDER
program() {
    built=$product/$2
    if [ -n "$strip" ]; then
        "$strip" --strip-unneeded -o "$scratch/$2" "$built"
        built=$scratch/$2
    fi
    put "$1" "$built" "$3" "$2"
}

program 0644 pam_cognito.so "$modules"
for name in worker agent accounts doctor; do
    program 0755 "cognito-$name" "$prefix/libexec/pam-cognito"
done
program 0755 cognito-session "$prefix/bin"
# Root starts it by hand, too, by its name alone.
[ -d "$destdir$prefix/sbin" ] || install -d -m 0755 "$destdir$prefix/sbin"
ln -sf ../libexec/pam-cognito/cognito-agent "$destdir$prefix/sbin/cognito-agent"
# By these names git and docker look for it.
for helper in git-credential-cognito docker-credential-cognito; do
    ln -sf cognito-session "$destdir$prefix/bin/$helper"
    echo ".so man1/cognito-session.1" >"$scratch/page"
    put 0644 "$scratch/page" "$prefix/share/man/man1" "$helper.1"
done
for section in 1 5 8; do
    put_all "$prefix/share/man/man$section" packaging/man/*."$section"
done
# Version 0.1.0 had these pages, and what journalctl -x says, in Spanish, too.
rm -f "$destdir$prefix/share/man/es"/man[158]/*cognito*.[158] "$destdir$prefix/lib/systemd/catalog/pam-cognito.es.catalog"
put_all "$prefix/share/doc/pam-cognito/pam.d" pam.d/*
put_all "$prefix/share/doc/pam-cognito" README.md SECURITY.md ARCHITECTURE.md CONTRIBUTING.md NEWS.md
# shellcheck disable=SC2044
for folder in $(find docs -type d); do
    # requirements.txt is for the website alone. The names have no spaces.
    documents=$(find "$folder" -maxdepth 1 -type f ! -name requirements.txt)
    if [ -n "$documents" ]; then
        # shellcheck disable=SC2086
        put_all "$prefix/share/doc/pam-cognito/$folder" $documents
    fi
done
# What it is made of: of a release's build alone.
if [ -f "$product/pam-cognito.cdx.json" ]; then
    put 0644 "$product/pam-cognito.cdx.json" "$prefix/share/doc/pam-cognito" pam-cognito.cdx.json
fi

for file in packaging/ansible/site.yml packaging/ansible/roles/pam_cognito/*/* packaging/cloud-init/*; do
    folder=${file#packaging/}
    put 0644 "$file" "$prefix/share/doc/pam-cognito/${folder%/*}" "${file##*/}"
done

# Offered to pam-auth-update, which looks in this place only; it enables nothing by itself.
put 0644 packaging/pam-configs/cognito /usr/share/pam-configs cognito

put 0644 packaging/completions/cognito-session.bash "$prefix/share/bash-completion/completions" cognito-session
put 0644 packaging/completions/cognito-session.fish "$prefix/share/fish/vendor_completions.d" cognito-session.fish
# Debian's zsh has a place of its own for what packages bring.
if [ -e /etc/debian_version ]; then
    put 0644 packaging/completions/_cognito-session "$prefix/share/zsh/vendor-completions" _cognito-session
else
    put 0644 packaging/completions/_cognito-session "$prefix/share/zsh/site-functions" _cognito-session
fi

# For systemd: the account and the folders that packages have made when they are installed, and units, of which none is enabled.
put 0644 packaging/sysusers.d/pam-cognito.conf "$prefix/lib/sysusers.d" pam-cognito.conf
put 0644 packaging/tmpfiles.d/pam-cognito.conf "$prefix/lib/tmpfiles.d" pam-cognito.conf
mkdir "$scratch/units"
for unit in packaging/systemd/*; do
    sed "s|/usr/libexec/|$prefix/libexec/|" "$unit" >"$scratch/units/${unit##*/}"
done
put_all "$prefix/lib/systemd/system" "$scratch/units"/*

# What journalctl -x says of our lines; packages have systemd's own triggers take it in.
put 0644 packaging/journal/pam-cognito.catalog "$prefix/lib/systemd/catalog" pam-cognito.catalog
if [ -z "$destdir" ] && command -v journalctl >/dev/null 2>&1; then
    journalctl --update-catalog || echo "install.sh: journalctl -x will not explain our lines" >&2
fi

# An administrator's configuration is never replaced; the sample beside the documentation is always the current one.
if [ -f packaging/pam_cognito.conf ]; then
    put 0644 packaging/pam_cognito.conf "$prefix/share/doc/pam-cognito" pam_cognito.conf
    if [ ! -e "$destdir/etc/security/pam_cognito.conf" ]; then
        put 0644 packaging/pam_cognito.conf /etc/security pam_cognito.conf
    fi
fi

# The folders, and the accounts that programs run as: they own nothing and can sign in nowhere. A package makes them when it
# is installed, so nothing is made while one is being put together in DESTDIR.
if [ -z "$destdir" ]; then
    install -d -m 0755 /run/pam-cognito
    install -d -m 0700 /var/lib/pam-cognito
    install -d -m 0755 /var/lib/pam-cognito/accounts
    for account in $accounts; do
        if ! getent passwd "$account" >/dev/null; then
            PATH="$PATH:/sbin:/usr/sbin" useradd --system --user-group --no-create-home --home-dir /nonexistent \
                --shell /usr/sbin/nologin --comment "Amazon Cognito" "$account"
        fi
    done
fi
