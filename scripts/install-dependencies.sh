#!/usr/bin/env bash
# Installs the npm packages of package-lock.json unless node_modules already contains them.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v node >/dev/null || { echo "Node.js 20.19 or newer is needed: https://nodejs.org" >&2; exit 1; }
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' || {
  echo "Node.js 20.19 or newer is needed; this is $(node --version)" >&2
  exit 1
}
command -v npm >/dev/null || { echo "npm is needed: it comes with Node.js" >&2; exit 1; }
if node scripts/dependencies-current.mjs; then exit 0; fi

# A concurrent run waits for the lock and then finds the packages installed.
if [ -z "${INSTALL_DEPENDENCIES_TURN:-}" ] && command -v flock >/dev/null; then
  mkdir -p .build
  INSTALL_DEPENDENCIES_TURN=taken exec flock .build/dependencies.lock bash "$0"
fi
echo "Installing the packages of package-lock.json" >&2
# Repeats a failed installation once, because the registry may be unreachable for a moment.
npm ci --no-audit --no-fund --loglevel=error || npm ci --no-audit --no-fund --loglevel=error || {
  echo "The packages of package-lock.json cannot be installed: npm's complaint is above" >&2
  exit 1
}
