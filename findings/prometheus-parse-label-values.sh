#!/usr/bin/env bash
# prometheus-parse 0.2.5 (crates.io): the value of a label ends at a comma, also within its quotes.
#
# Guess: the quotes of a label's value may hold any character; only the backslash, the quote and the line feed are escaped (text
# format of Prometheus, comments and data lines).
# Seen: "a,b" is read as "a", a value with `=` costs the series its labels, and one with `}` the whole sample; none is an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "try"
version = "0.1.0"
edition = "2021"

[dependencies]
prometheus-parse = "=0.2.5"
TOML
cat >src/main.rs <<'RUST'
use prometheus_parse::Scrape;

fn main() {
    for value in ["plain", "a,b", "a=b", "a}b"] {
        let line = format!("lag{{topic=\"{value}\"}} 3");
        let scrape = Scrape::parse([Ok(line)].into_iter()).unwrap();
        let labels: Vec<String> = scrape.samples.iter().map(|sample| format!("{:?}", sample.labels)).collect();
        println!("{value} {labels:?}");
    }
}
RUST
expected='plain ["Labels({\"topic\": \"plain\"})"]
a,b ["Labels({\"topic\": \"a\"})"]
a=b ["Labels({})"]
a}b []'
found=$(CARGO_TARGET_DIR="$folder/target" cargo run --quiet 2>/dev/null)
printf 'prometheus-parse %s\n%s\n' "$(cargo tree --depth 1 --prefix none 2>/dev/null | sed -n 's/^prometheus-parse v//p')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
