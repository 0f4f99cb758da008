#!/usr/bin/env bash
# fetch-event-stream 0.1.6 (npm): the id of an event is a number or a text, depending on its characters.
#
# Guess: an id is a text, as in the specification of server-sent events, where `Last-Event-ID` sends it back unchanged.
# Seen: `id: 7` is the number 7, `id: 0012` the text "0012". Code that calls a method of texts on an id, or compares ids with
# `===`, works until a server's ids look like whole numbers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent fetch-event-stream@0.1.6
cat >try.mjs <<'JS'
import { events } from 'fetch-event-stream'
for (const id of ['7', '0012', 'a1']) {
  for await (const event of events(new Response(`id: ${id}\ndata: x\n\n`))) console.log(id, typeof event.id)
}
JS
expected='7 number
0012 string
a1 string'
found=$(node try.mjs)
printf 'fetch-event-stream %s\n%s\n' "$(node -p 'JSON.parse(require("fs").readFileSync("node_modules/fetch-event-stream/package.json")).version')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
