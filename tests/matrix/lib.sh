# Sourced by the scripts here: where things are kept, what the host's apt knows, and figures.
# POSIX sh.

matrix_here=${matrix_here:-$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)}
tree=$(CDPATH='' cd -- "$matrix_here/../.." && pwd)
cache=${TESSERA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tessera}/matrix
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

say() {
    printf '%s\n' "$*" >&2
}

fail() {
    say "matrix: $*"
    exit 1
}

# result TEXT...: a line of the report. What is not a result goes to standard error.
result() {
    printf '%s\n' "$*"
}

# only_one NAME: waits until no other run has NAME's folders in hand. Until the end of this process.
only_one() {
    mkdir -p "$cache"
    exec 9>"$cache/$1.lock"
    flock -n 9 || { say "matrix: another run is using $1's folders; waiting for it..."; flock 9; }
}

# seconds_since START: whole seconds since `date +%s` said START.
seconds_since() {
    echo $(($(date +%s) - $1))
}

# Apt sources of the Debian release CODENAME, from wherever this machine gets its own Debian:
# the same mirrors, main, with updates and security. Lines of a sources.list.
debian_sources() {
    lists=$(indexed_targets)
    if [ -z "$lists" ]; then
        # A machine whose lists were cleared away: fetch some of our own, and leave its as they are.
        mkdir -p "$cache/lists/partial"
        apt-get -qq -o Dir::State::Lists="$cache/lists" -o Debug::NoLocking=true update >&2 ||
            fail "apt-get update failed, so nothing is known of this machine's Debian mirror."
        lists=$(indexed_targets -o Dir::State::Lists="$cache/lists")
    fi
    [ -n "$lists" ] || fail "apt knows no Debian mirror here; /etc/apt/sources.list has to name one."
    printf '%s\n' "$lists" | awk -v want="$1" -v keyring="$keyring" '
        {
            suffix = match($2, /-[a-z-]+$/) ? substr($2, RSTART) : ""
            if (suffix == "" || suffix == "-updates" || suffix == "-security")
                print "deb [signed-by=" keyring "] " $1 " " want suffix " main"
        }' | sort -u
}

# SITE and RELEASE of every index of Debian's own that apt has fetched.
indexed_targets() {
    # shellcheck disable=SC2016
    apt-get "$@" indextargets --format '$(SITE) $(RELEASE) $(COMPONENT) $(ORIGIN)' 'Created-By: Packages' |
        awk '$3 == "main" && $4 == "Debian" { print $1, $2 }'
}

# How this machine reaches its mirror: proxies, dates, retries. Lines of an apt.conf.
apt_settings() {
    apt-config dump | grep -E '^Acquire::(https?|Check-|Retries|ForceIPv)' || true
}

# --- arm64 packages, with an apt state of its own: dpkg is not told of them

arm64_state=$cache/arm64.apt

# on_arm64 PROGRAM ARGUMENTS...: apt-get or apt-cache as they would be on an arm64 machine.
on_arm64() {
    on_arm64_program=$1
    shift
    "$on_arm64_program" -q -o APT::Architecture=arm64 -o APT::Architectures::=arm64 \
        -o Dir::State::Lists="$arm64_state/lists" -o Dir::State::status="$arm64_state/status" \
        -o Dir::Cache::Archives="$arm64_state/archives" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o Dir::Etc::SourceList="$arm64_state/sources.list" -o Dir::Etc::SourceParts=- \
        -o APT::Install-Recommends=false -o APT::Keep-Downloaded-Packages=true -o DPkg::Post-Invoke::= \
        -o APT::Sandbox::User= -o Debug::NoLocking=true "$@"
}

arm64_apt() { on_arm64 apt-get "$@"; }
arm64_apt_cache() { on_arm64 apt-cache "$@"; }

# Fetches the package lists of this machine's release for arm64. Fails when the mirror can't be reached;
# $arm64_state/log says why.
arm64_apt_update() {
    mkdir -p "$arm64_state/lists/partial" "$arm64_state/archives/partial"
    [ -f "$arm64_state/status" ] || : >"$arm64_state/status"
    codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
    [ -n "$codename" ] || fail "/etc/os-release does not say which Debian this is, so no arm64 packages can be chosen."
    debian_sources "$codename" | sed 's/\[/[arch=arm64 /' >"$arm64_state/sources.list"
    arm64_apt update >"$arm64_state/log" 2>&1
}
