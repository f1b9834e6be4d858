#!/usr/bin/env bash
# Runs every test, or those that the arguments choose as jest's own do: scripts/test.sh packages/store
set -euo pipefail
cd "$(dirname "$0")/.."
rm -f .build/test-totals.json
exec npx jest --maxWorkers=3 "$@"
