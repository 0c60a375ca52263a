#!/usr/bin/env bash
# Fetch a few small packages from the registries, for tests that build projects: packages.sh FOLDER PYTHON
# Where that cannot be done it says so and goes on, since the tests that need them then skip
# themselves; with CI=true it fails.
set -euo pipefail
folder=$1 python=$2

fetch() {
    rm -rf "$folder"
    mkdir -p "$folder/pip" "$folder/npm" "$folder/project"
    # One of plain Python and one with a part in C, as sources, and what builds them.
    "$python" -m pip --disable-pip-version-check --quiet download --dest "$folder/pip" \
        --no-deps --no-binary six,markupsafe six==1.17.0 markupsafe==3.0.3 setuptools wheel packaging &&
        # A project with tests of its own, as sources, and what installs and tests it.
        "$python" -m pip --disable-pip-version-check --quiet download --dest "$folder/project" \
            --no-deps --no-binary cachetools cachetools==8.0.0 &&
        "$python" -m pip --disable-pip-version-check --quiet download --dest "$folder/project" \
            --only-binary :all: 'pytest>=9' 'setuptools>=80' 'setuptools-scm>=8.2' &&
        if command -v npm >/dev/null; then
            npm pack --silent --pack-destination "$folder/npm" is-odd@3.0.1 is-number@6.0.0 >/dev/null
        fi
}

echo 'fetching packages for the tests' >&2
if fetch; then
    touch "$folder/.ready"
else
    echo 'could not fetch packages: tests that build projects will be skipped' >&2
    [ "${CI:-}" != true ]
fi
