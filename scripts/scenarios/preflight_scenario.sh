#!/bin/sh
# Run scenario scripts: selftest first, then live when REQUIRE_LIVE=1. Exit code 86 says that the
# surroundings failed (a key, the network, a quota), any other than 0 that the product did.
set -eu
exec custody scenario run "$@"
