#!/usr/bin/env bash
# Install Debian packages whose program is missing, or whose file if a path is named:
# system_packages.sh PROGRAM:PACKAGE …
# Where that cannot be done it says so and goes on, since the tests that need one then skip
# themselves; with CI=true it fails.
set -euo pipefail

missing=()
for pair in "$@"; do
    command -v "${pair%%:*}" >/dev/null || [ -e "${pair%%:*}" ] || missing+=("${pair##*:}")
done
[ ${#missing[@]} -eq 0 ] && exit 0

install() {
    local become=()
    [ "$(id -u)" -eq 0 ] || become=(sudo -n)
    command -v apt-get >/dev/null || return 1
    "${become[@]}" apt-get update -qq &&
        "${become[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

echo "installing ${missing[*]}" >&2
if ! install; then
    echo "could not install ${missing[*]}: tests that need one of them will be skipped" >&2
    [ "${CI:-}" != true ]
fi
