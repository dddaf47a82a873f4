#!/usr/bin/env bash
# Runs every fuzz target for SECONDS (default 30): fuzz/run.sh [SECONDS]
#
# Uses nightly if there is one, else the default toolchain with its nightly switches unlocked. What
# is found lies in fuzz/artifacts/<target>/; what was learnt in fuzz/corpus/<target>/.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds="${1:-30}"
command -v cargo-fuzz >/dev/null || cargo install cargo-fuzz --locked

toolchain=()
if rustup run nightly rustc --version >/dev/null 2>&1; then
    toolchain=(+nightly)
else
    export RUSTC_BOOTSTRAP=1
fi

for target in $(cargo "${toolchain[@]}" fuzz list); do
    echo "== $target, $seconds s"
    cargo "${toolchain[@]}" fuzz run "$target" -- -max_total_time="$seconds" -max_len=4096 -timeout=10
done
