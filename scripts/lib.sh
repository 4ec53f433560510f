# Shared by the scripts beside it; source it, do not run it.
# shellcheck shell=bash
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root"

# Tools that the project installs for itself, out of the way of the user's own.
tools="$root/.tools"
mkdir -p "$tools/stamps"
export PATH="$tools/bin:$PATH"

say() { printf 'setup: %s\n' "$*"; }

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# digest FILE...: changes whenever one of the files does.
digest() { cat "$@" | sha256sum | cut -d ' ' -f 1; }

# is_fresh STEP DIGEST: the step was already done for these inputs.
is_fresh() { [[ "$(cat "$tools/stamps/$1" 2>/dev/null || true)" == "$2" ]]; }

mark_fresh() { printf '%s\n' "$2" >"$tools/stamps/$1"; }
