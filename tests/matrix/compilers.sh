#!/bin/sh
# compilers.sh BIN BIN: do the programs of two builds (gcc's and clang's) decide the same? Compares
# what decisions.sh writes of both, with every photograph of $TESSERA_DATA. The last line is
# "N passed, N failed"; what differs stands above it.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pictures=
[ -z "${TESSERA_DATA:-}" ] || pictures=$(find -L "$TESSERA_DATA/photos" -name '*.jpg' | sort)
passed=0
failed=0

for part in one other; do
    DECISIONS_PICTURES=$pictures "$here/decisions.sh" "$1" >"$work/$part"
    code=$?
    if [ "$code" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "compilers: what the programs in $1 could not do:"
        grep -B 1 '^ended with' "$work/$part"
    fi
    shift
done
if diff -u "$work/one" "$work/other" >"$work/diff"; then
    echo "compilers: the same $(grep -c '^## ' "$work/one") decisions, $(wc -l <"$work/one") lines"
    passed=$((passed + 1))
else
    head -n 40 "$work/diff"
    failed=$((failed + 1))
fi
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
