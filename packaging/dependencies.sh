#!/bin/sh
# Installs the Debian packages that are needed and are not there. Groups: build, test, demo (with what they rest on),
# benchmark (with what the tests need), browser, and for making and trying packages deb, rpm, repository, reproducible, system.
#
# usage: dependencies.sh [build|test|demo|benchmark|browser|deb|rpm|repository|reproducible|system]...
set -eu

# Headers and libraries that the programs are compiled and linked against. libcurl is OpenSSL's: one TLS library.
# clang takes the C++ library that belongs to the newest gcc it finds.
case $(sed -n 's/^VERSION_ID="\{0,1\}\([0-9]*\).*/\1/p' /etc/os-release 2>/dev/null) in
    12) library=libstdc++-12-dev ;;
    *) library=libstdc++-14-dev ;;
esac
build="$library libpam0g-dev libcrypt-dev libkeyutils-dev libcurl4-openssl-dev libssl-dev libqrencode-dev libjansson-dev libseccomp-dev binutils"
# What Swift's own programs load, however Swift came to this machine.
swift="libncurses6 libsqlite3-0 libxml2"
# Real hosts of PAM, and what the emulator and the checks run on.
demo="curl openssh-server openssh-client libpam-modules keyutils python3 python3-venv iproute2 util-linux passwd oathtool"
test="$demo login sudo cron sshpass pamtester gcc make clang-format shellcheck mandoc strace zbar-tools tmux systemd fish zsh gettext man-db groff-base"
test="$test vlock nftables git spin libc6-dev-arm64-cross libnss-systemd libnss-extrausers systemd-userdbd uidmap"
# Whosever kubectl is there: some packages of that name are not Debian's.
command -v kubectl >/dev/null || test="$test kubernetes-client"
# Kerberos's klist, beside which ours is measured.
benchmark="$test krb5-user"
# A browser for the redirect page, and a client of ssh that breaks long lines.
browser="chromium chromium-driver putty-tools"

# Packages, and a whole machine to try them on.
deb="debhelper dpkg-dev devscripts autopkgtest fakeroot lintian gdb"
rpm="rpm cpio elfutils rpmlint"
repository="apt-utils createrepo-c dnf gnupg rpm"
reproducible="faketime locales"
system="debootstrap systemd-container"

wanted=
for group in "${@:-build}"; do
    case $group in
        build) wanted="$wanted $swift $build" ;;
        test) wanted="$wanted $swift $build $test" ;;
        demo) wanted="$wanted $swift $build $demo" ;;
        benchmark) wanted="$wanted $swift $build $benchmark" ;;
        browser) wanted="$wanted $browser" ;;
        deb) wanted="$wanted $deb" ;;
        rpm) wanted="$wanted $rpm" ;;
        repository) wanted="$wanted $repository" ;;
        reproducible) wanted="$wanted $reproducible" ;;
        system) wanted="$wanted $system" ;;
        *)
            echo "dependencies.sh: unknown group '$group'; there are build, test, demo, benchmark, browser, deb, rpm, repository, reproducible and system" >&2
            exit 64
            ;;
    esac
done

if ! command -v dpkg-query >/dev/null 2>&1; then
    exit 0
fi

missing=
for package in $wanted; do
    case " $missing " in *" $package "*) continue ;; esac
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=
    if [ "$status" != installed ]; then
        missing="$missing $package"
    fi
done
missing=${missing# }
if [ -z "$missing" ]; then
    exit 0
fi

if [ "$(id -u)" -ne 0 ]; then
    echo "dependencies.sh: these packages are needed; install them as root: apt-get install $missing" >&2
    exit 1
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "dependencies.sh: these packages are needed, and there is no apt-get: $missing" >&2
    exit 1
fi

echo "Installing: $missing"
log=$(mktemp)
trap 'rm -f "$log" "$log.nsswitch"' EXIT

# Daemons that come with a package are not started: the tests and the demo run their own, in namespaces.
install_packages() {
    # libnss-systemd asks for itself to be asked, on this machine; the tests have an nsswitch.conf of their own.
    cp -p /etc/nsswitch.conf "$log.nsswitch"
    # shellcheck disable=SC2086 # a list of package names
    RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
        -o Dpkg::Options::=--force-confold -o DPkg::Lock::Timeout=120 $missing >"$log" 2>&1
    status=$?
    cat "$log.nsswitch" >/etc/nsswitch.conf
    return $status
}

# The lists may be there and fresh; asking the archive for new ones is what takes time.
if ! install_packages; then
    if ! { apt-get update -q && install_packages; } >>"$log" 2>&1; then
        cat "$log" >&2
        echo "dependencies.sh: could not install: $missing" >&2
        exit 1
    fi
fi
