#!/usr/bin/env bash
# Installs the linters that `cargo bench` compares with, in the versions that were measured.
set -euo pipefail
cargo install agentlint --version 0.3.0 --locked || cargo install agentlint --version 0.3.0
cargo install agnix-cli --version 0.60.3 --locked || cargo install agnix-cli --version 0.60.3
