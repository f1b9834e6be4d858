#!/usr/bin/env bash
# Runs the unit and the black-box tests. Arguments are passed to Jest and select tests: scripts/test.sh packages/store
set -euo pipefail
cd "$(dirname "$0")/.."
rm -f .build/test-totals.json
exec npx jest --maxWorkers=3 "$@" --selectProjects unit e2e
