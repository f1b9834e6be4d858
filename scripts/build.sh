#!/usr/bin/env bash
# `make build`: installs packages, generates sources and compiles when an input has changed since the last build.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v node >/dev/null || { echo "Node.js 20.19 or newer is needed: https://nodejs.org" >&2; exit 1; }
exec node scripts/build.mjs "$@"
