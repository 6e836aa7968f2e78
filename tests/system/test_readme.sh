#!/bin/sh
# Every command that README.md and config/README.md print is run, and what they show as its output
# is compared (figures aside) with what it says today. A command this file cannot run, or a program
# that calls it wrong use, is a failure: a reader would meet it too.
#
# Where the README means /etc/tessera and /var/lib/tessera, a scratch folder stands in.
set -eu

source=${TESSERA_SOURCE:?}
PATH=$TESSERA_BIN:$PATH
export PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work/home" TESSERA_PATHS_STATE="$work/state" TESSERA_PATHS_RUNTIME="$work/run" NO_COLOR=1
mkdir "$HOME"
cd "$work"
failed=0

fault() {
    printf 'FAIL %s\n' "$*"
    failed=1
}

# The commands of the indented blocks, one a line, without comments.
blocks() {
    grep -hE '^    (\$ )?(sudo |\./dev|\.ci/|tessera)' "$@" |
        sed -e 's/^    \(\$ \)\{0,1\}//' -e 's/  *#.*//' -e 's/    *\.\/dev/\n.\/dev/g' -e 's/ *$//' |
        grep -E '^(sudo |\./dev|\.ci/|tessera)' | grep -vE '^tessera[a-z.-]*yaml:' | sort -u
}

# The commands named within sentences: `./dev play --auto`.
inline() {
    # shellcheck disable=SC2016
    grep -ohE '`(\./dev|tessera|tessera-config) [a-z]+[^`]*`' "$@" | tr -d '`' | sort -u
}

# Whether the program has such a command at all.
known() {
    case $1 in
    ./dev) sed -n '/<<.TEXT.$/,/^TEXT$/p' "$source/dev" | grep -q "^  $2 " ;;
    tessera-config) tessera-config --help | grep -q "^  $2 " ;;
    tessera) tessera "$2" --help >/dev/null 2>&1 ;;
    esac
}

# run WANTED PROGRAM...: its exit code must be one of WANTED; its output is kept.
run() {
    wanted=$1
    shift
    status=0
    "$@" >out 2>err </dev/null || status=$?
    case " $wanted " in
    *" $status "*) printf 'ok (%s) %s\n' "$status" "$command" ;;
    *) fault "$command: exit $status, not $wanted"; tail -n 5 out err ;;
    esac
}

# On a computer without the hardware: anything but "used wrongly".
HARDWARE='0 1 4'

run_block() {
    # shellcheck disable=SC2086
    set -- $command
    [ "$1" != sudo ] || shift
    [ "$1 ${2:-}" != './dev run' ] || shift 2
    case $1 in
    .ci/run) [ -x "$source/.ci/run" ] && printf 'ok %s\n' "$command" || fault "$command is not there" ;;
    ./dev)
        case $* in
        './dev play') run '0 3' tessera play --sim ;;
        *) known ./dev "$2" && printf 'known %s\n' "$command" || fault "dev has no $2" ;;
        esac
        ;;
    cmake | udevadm | systemctl) printf 'left out: %s\n' "$command" ;;
    build/*/bin/tessera-config | tessera-config | tessera)
        program=${1##*/}
        shift
        case "$program $*" in
        'tessera-config init' | 'tessera-config init --probe')
            run 0 tessera-config init --force "$work/etc/tessera.yaml" ;;
        *evening.yaml*) run 0 "$program" "$@" ;;
        *'FILE'*) known "$program" "$1" && printf 'known %s\n' "$command" || fault "no $1" ;;
        *'>'*) known "$program" "$1" && printf 'known %s\n' "$command" || fault "no $1" ;;
        *) run "$HARDWARE" "$program" "$@" --config "$work/etc/tessera.yaml" ;;
        esac
        ;;
    *) fault "nobody knows how to run: $command" ;;
    esac
}

# The lines a file shows that begin with PASS, against those of this run, figures aside.
plain() {
    grep -E '^ *(PASS|FAIL) ' | sed -e 's/^ *//' -e 's/[0-9][0-9.]*/N/g' | sort
}

# In the order a reader meets them: init comes before what needs its file.
run_file() {
    blocks "$1" >commands
    { grep -E 'init' commands || true; grep -E ' check$' commands || true
        grep -E 'calibrate' commands || true; grep -vE 'init| check$|calibrate' commands || true; } >ordered
    while IFS= read -r command; do
        run_block
        case $command in *evening.yaml*calibrate\ all*) cp out evening.out ;; esac
    done <ordered
    inline "$1" >named
    while read -r program word _; do
        known "$program" "$word" || fault "$1 names \`$program $word\`, which there is none of"
    done <named
    plain <"$1" >shown
    [ ! -s shown ] || { plain <evening.out | diff -u shown - || fault "$1 shows other results"; }
}

[ -s "$source/README.md" ] || { echo "no README here"; exit 77; }
for file in "$source/README.md" "$source/config/README.md"; do
    printf '== %s\n' "$file"
    run_file "$file"
done
exit "$failed"
