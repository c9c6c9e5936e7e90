#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# fresh_machine: do the README's two commands work where nobody prepared anything?
#
#   tests/fresh_machine.sh             as root; ends with "N passed, N failed"
#   tests/fresh_machine.sh --packages  do those that `make deb` left in build/deb work there?
#   tests/fresh_machine.sh --possible  can that be done here? If not: why not, and exit 77
#
# Makes a Debian 12 anew (debootstrap --variant=minbase, and make and git), copies into it
# what git tracks here and nothing else, and runs `make demo` and `make test` there. From
# this machine it takes how packages are fetched: mirror, proxy, names and certificates.
#
# All of it happens in name spaces of its own, so that no mount and no process outlives it,
# however it ends; the folder, of a few GB under TMPDIR or /var/tmp, is removed (but by
# kill -9). What each step said stays in build/fresh/log.*.
set -u
cd "$(dirname "$0")/.."

SUITE=bookworm
DEFAULT_MIRROR=http://deb.debian.org/debian/

refuse() {
    echo "a fresh machine cannot be made here: $*"
    exit 77
}

# Name spaces in which all that was started ends with the first process, and that one with
# this script.
apart=(setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child
       --propagation private)

# Through apt where it is missing.
fetch_tool() {
    command -v "$1" >/dev/null && return
    command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq \
        --no-install-recommends "$@"
} >/dev/null 2>&1

# The main components that this machine fetches packages from: URI and release, a line each.
sources() {
    # shellcheck disable=SC2016 # these are apt's variables
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
        'Created-By: Packages' 2>/dev/null | sed -n 's/ main$//p' | sort -u
}

has_suite() { # MIRROR
    wget -q -T 20 -t 2 -O /dev/null "${1%/}/dists/$SUITE/Release"
}

# The mirror of this machine if it has the suite, or that which everyone can use.
find_mirror() {
    local candidate
    for candidate in $(sources | awk -v s=$SUITE '$2 == s { print $1 }') \
        $(sources | awk '$1 ~ /\/debian\/?$/ { print $1 }') $DEFAULT_MIRROR; do
        has_suite "$candidate" && echo "$candidate" && return
    done
    return 1
}

# What debootstrap and wget do not take from apt's configuration.
take_proxies() {
    local scheme found
    for scheme in http https; do
        found=''
        eval "$(apt-config shell found Acquire::$scheme::Proxy 2>/dev/null)"
        [ -z "$found" ] || [ "$found" = DIRECT ] || declare -gx "${scheme}_proxy=$found"
    done
}

require() {
    [ "$(id -u)" -eq 0 ] || refuse 'not root'
    [ "$(uname -s)" = Linux ] && command -v unshare setpriv >/dev/null || refuse 'no unshare'
    "${apart[@]}" mount -t proc proc /proc 2>/dev/null || refuse 'no right to mount'
    fetch_tool git || refuse 'no git'
    fetch_tool debootstrap debian-archive-keyring || refuse 'no debootstrap'
    git_here rev-parse --git-dir >/dev/null 2>&1 || refuse 'not a checkout of git'
    take_proxies
    mirror=$(find_mirror) || refuse "no mirror answers that has $SUITE"
}

# Whoever the checkout belongs to.
git_here() {
    git -c safe.directory="$PWD" "$@"
}

# --- inside --------------------------------------------------------------------------

# A file of this machine at the same place there.
carry() {
    [ ! -e "$1" ] || { mkdir -p "$root/${1%/*}" && cp -L "$1" "$root$1"; }
}

# How packages are fetched; nothing that is a tool.
carry_network() {
    local config=$root/etc/apt/apt.conf.d/99host file
    carry /etc/resolv.conf
    carry /etc/hosts
    carry /etc/ssl/certs/ca-certificates.crt
    for file in /etc/apt/auth.conf /etc/apt/auth.conf.d/*; do carry "$file"; done
    apt-config dump 2>/dev/null |
        grep -iE '^Acquire::(https?|Check-[A-Za-z-]*|Retries|ForceIPv[46])[: ]' |
        grep -iv 'auto-detect' >"$config"
    while read -r file; do carry "$file"; done < <(grep -oE '"/[^"]+"' "$config" | tr -d '"')
    echo "deb $mirror $SUITE main" >"$root/etc/apt/sources.list"
    sources | awk -v s=$SUITE '$2 ~ "^" s "-(updates|security)$" { print "deb", $1, $2, "main" }' \
        >>"$root/etc/apt/sources.list"
    cat "$config" "$root/etc/apt/sources.list"
}

make_root() {
    # A mirror may fail for a moment; what was fetched is kept.
    debootstrap --variant=minbase --include=make,git "$SUITE" "$root" "$mirror" ||
        { sleep 20 && debootstrap --variant=minbase --include=make,git "$SUITE" "$root" "$mirror"; } ||
        { tail -n 30 "$root/debootstrap/debootstrap.log"; return 1; }
    carry_network &&
        mount -t proc proc "$root/proc" &&
        mount --rbind /sys "$root/sys" &&
        mount --rbind /dev "$root/dev" &&
        mount -t tmpfs tmpfs "$root/dev/shm"
}

copy_checkout() {
    mkdir "$root/gpusort" &&
        git_here ls-files -z |
        tar --null -T - --ignore-failed-read -cf - | tar --no-same-owner -xf - -C "$root/gpusort"
    [ "${PIPESTATUS[*]}" = '0 0 0' ] && [ -e "$root/gpusort/Makefile" ]
}

# COMMAND..., as if typed by root who has just logged in there.
in_root() {
    local name environment=()
    for name in CI http_proxy https_proxy no_proxy; do
        [ -z "${!name:-}" ] || environment+=("$name=${!name}")
    done
    # shellcheck disable=SC2016 # for the shell inside
    chroot "$root" env -i HOME=/root TERM=dumb "${environment[@]}" \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        sh -c 'cd /gpusort && exec "$@"' sh "$@"
}

all_steps() {
    log_folder=build/fresh
    mkdir -p "$log_folder"
    . tests/steps.inc
    step make-a-machine make_root
    step copy-the-checkout copy_checkout
    if [ $failed -eq 0 ]; then
        step make-demo in_root make demo
        take_over in_root make test
    fi
    finish
}

package_steps() {
    log_folder=build/fresh
    mkdir -p "$log_folder"
    . tests/steps.inc
    step make-a-machine make_root
    step copy-the-packages copy_packages
    step use-the-packages in_root ./use_packages.sh /gpusort
    finish
}

copy_packages() {
    mkdir "$root/gpusort" && cp build/deb/*.deb tests/use_packages.sh "$root/gpusort/"
}

steps=all_steps
case ${1:-} in
--possible)
    require
    exit 0
    ;;
--inside)
    root=$2 mirror=$3
    "$4"
    exit
    ;;
--packages)
    steps=package_steps
    ;;
'') ;;
*)
    echo "usage: tests/fresh_machine.sh [--packages | --possible]" >&2
    exit 2
    ;;
esac

require
root=$(mktemp -d "${TMPDIR:-/var/tmp}/gpusort-fresh.XXXXXX") || exit 1
remove_root() {
    # The last processes may not be gone yet.
    rm -rf --one-file-system "$root" 2>/dev/null || { sleep 2 && rm -rf --one-file-system "$root"; }
}
trap remove_root EXIT
chmod 755 "$root"
"${apart[@]}" bash "tests/${0##*/}" --inside "$root" "$mirror" $steps &
inside=$!
trap 'kill -KILL $inside; wait $inside 2>/dev/null; exit 130' INT TERM HUP
wait $inside
