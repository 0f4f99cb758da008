#!/usr/bin/env bash
# id128 1.6.6 (npm): the time in its UUIDs of version 1 and 6 counts 4096 units to the millisecond.
#
# Guess: it counts units of 100 ns since 1582, 10,000 to the millisecond (RFC 9562, 5.1 and 5.6).
# Seen: the milliseconds since 1582 are followed by a counter of 12 bits. Version and variant are right, so other readers take
# 2026 for 1764; among ids of other makers these sort first. The library itself reads its ids right, and those of others wrong.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent id128@1.6.6
cat >try.mjs <<'JS'
import ids from 'id128'
const time = new Date('2026-01-02T03:04:05.123Z')
for (const version of [1, 6]) {
  const id = ids[`Uuid${version}`].generate({ time }).toCanonical()
  const hex = id.replaceAll('-', '')
  const units = version === 1 ? hex.slice(13, 16) + hex.slice(8, 12) + hex.slice(0, 8) : hex.slice(0, 12) + hex.slice(13, 16)
  const read = new Date(Number(BigInt(`0x${units}`) / 10000n) - 12219292800000)
  console.log('version', hex[12], 'read by RFC 9562', read.toISOString(), 'by id128', ids[`Uuid${version}`].fromCanonical(id).time.toISOString())
}
console.log('of RFC 9562, A.1:', ids.Uuid1.fromCanonical('C232AB00-9414-11EC-B3C8-9F6BDECED846').time.toISOString())
JS
expected='version 1 read by RFC 9562 1764-04-29T22:04:10.162Z by id128 2026-01-02T03:04:05.123Z
version 6 read by RFC 9562 1764-04-29T22:04:10.162Z by id128 2026-01-02T03:04:05.123Z
of RFC 9562, A.1: 2655-06-11T07:32:48.554Z'
found=$(node try.mjs)
printf 'id128 %s\n%s\n' "$(node -p 'JSON.parse(require("fs").readFileSync("node_modules/id128/package.json")).version')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
