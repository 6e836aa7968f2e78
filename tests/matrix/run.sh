#!/bin/sh
# run.sh [--all|--quick|--decisions] [debian12] [debian13] [arm64] -- PACKAGE...: the matrix, or some of it. Prints each
# part's figures and ends with one line "N passed, N failed".
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
extent=
parts=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    case $1 in
    --all | --quick | --decisions) extent=$1 ;;
    debian12 | debian13 | arm64) parts="$parts $1" ;;
    *)
        echo "matrix: there is no '$1'; there are: debian12, debian13, arm64, and --all, --quick, --decisions" >&2
        exit 2
        ;;
    esac
    shift
done
[ $# -eq 0 ] || shift
passed=0
failed=0
report=$(mktemp)
trap 'rm -f "$report"' EXIT
for part in ${parts:-debian12 debian13 arm64}; do
    case $part in
    arm64) "$here/arm64.sh" $extent "$@" ;;
    *) "$here/debian.sh" "${part#debian}" ;;
    esac >"$report" || :
    last=$(tail -n 1 "$report")
    case $last in
    [0-9]*' passed, '[0-9]*' failed')
        sed '$d' "$report"
        passed=$((passed + ${last%% passed*}))
        last=${last##*, }
        failed=$((failed + ${last%% failed*}))
        ;;
    *)
        cat "$report"
        echo "$part: FAILED before its end"
        failed=$((failed + 1))
        ;;
    esac
done
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
