#!/usr/bin/env bash
# The main job, offline: fix a failing test, then prove what happened. Called by `make demo`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

example=examples/fix-failing-test
run=demo_$(date +%Y%m%d_%H%M%S)
forged=$(mktemp -d)
trap 'rm -rf "$forged"' EXIT
bold='' plain=''
if [ -t 1 ]; then bold=$'\e[1m' plain=$'\e[0m'; fi

say() { printf '\n%s%s%s\n' "$bold" "$(fold -sw 80 <<< "$*")" "$plain"; }
show() {
    # A command that is too long for a line goes on in the next one, so that it can be pasted.
    fold -sw 72 <<< "$*" | sed -e '1s/^/$ /' -e '2,$s/^/      /' -e '$!s/ *$/ \\/'
    "$@"
}

# Where nothing can confine the programs of a run, it goes unconfined: that must be asked for, and said.
unconfined=()
level=$(custody doctor --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["confinement"]["offer"]["level"])')
if [ "$level" = L1 ]; then
    printf 'UNCONFINED: this machine cannot confine programs, so the demo runs them at L1.\n'
    printf '`custody doctor` says why.\n'
    unconfined=(--confinement L1)
fi

say "An agent (here: recorded answers) fixes a failing test, in a copy of $example/project."
show custody run fix_test --workdir "$example/project" --agent "fake:$example/answers.json" --run-id "$run" "${unconfined[@]}"

say "What the run changed. Its first answer was not enough; the failure was fed back to the second."
show custody diff last

say "The recorded answers lead to the same decisions, byte for byte."
show custody replay last

say "Everything in the run directory is what it claims to be."
show custody verify last

say "A copy of it, in which one word of the journal was made to look better, is not."
cp -r ".custody/runs/$run" "$forged"
sed -i 's/tool_exit_code_1/tool_exit_code_0/' "$forged/$run/events.jsonl"
if show custody verify "$forged/$run"; then exit 1; fi

say "Look around: .venv/bin/custody show last, log last, show last fix. Next: docs/tutorial/first-run.md"
