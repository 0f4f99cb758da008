#!/usr/bin/env bash
# ulid 3.0.2 (npm): the id of the moment 0 is dated now.
#
# Guess: `ulid(0)` begins with ten zeros, as the least ids do, so that it is a bound from which a range of ids begins.
# Seen: 0 counts as no time, and the clock's is taken: a range from it is empty, without an error. `ulid(1)` is dated 1, and
# `ulid(0)` of ulidx 2.4.1 is dated 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent ulid@3.0.2 ulidx@2.4.1
cat >try.mjs <<'JS'
import { decodeTime, ulid } from 'ulid'
import { ulid as other } from 'ulidx'
const dated = (id) => (decodeTime(id) > 1.7e12 ? 'now' : decodeTime(id))
console.log('ulid(0)', dated(ulid(0)), 'ulid(1)', dated(ulid(1)), 'ulidx', dated(other(0)))
JS
expected='ulid(0) now ulid(1) 1 ulidx 0'
found=$(node try.mjs)
printf 'ulid %s\n%s\n' "$(node -p 'JSON.parse(require("fs").readFileSync("node_modules/ulid/package.json")).version')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
