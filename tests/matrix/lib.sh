# Sourced by the scripts here: where things are kept, what the host's apt knows, and figures.
# POSIX sh.

matrix_here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
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
