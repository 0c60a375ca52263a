#!/usr/bin/env bash
# The main job, offline: mend a failing test, then prove what happened. Called by `make demo`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

example=examples/fix-failing-test
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
show() { printf '$ %s\n' "$*"; "$@"; }

say "An agent (here: recorded answers) mends a failing test, in a copy of $example/project."
show custody run fix_test --workdir "$example/project" --runsdir "$runs" \
    --agent "fake:$example/answers.json"

say "What it changed, file by file."
show custody diff last --runsdir "$runs"

say "The recorded answers lead to the same decisions, byte for byte."
show custody replay last --runsdir "$runs"

say "Every line, blob and view of the run directory is what it claims to be."
show custody verify last --runsdir "$runs"

say "The source was not touched:"
show git status --short -- "$example"
