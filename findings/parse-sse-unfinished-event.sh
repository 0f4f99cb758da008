#!/usr/bin/env bash
# parse-sse 0.1.0 (npm): a stream that ends within an event yields that event as far as it came.
#
# Guess: an event without its blank line is discarded at the end of the stream, as the specification of server-sent events says.
# Seen: it is yielded like a whole one, with data that is cut off and its id, from which a reader would resume behind it. A server
# can't tell a reader that a stream was cut; here the reader can't tell either, unless the data says where it ends.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent parse-sse@0.1.0
cat >try.mjs <<'JS'
import { parseServerSentEvents } from 'parse-sse'
const cut = 'id: 1\ndata: {"unread":3}\n\nid: 2\ndata: {"unr'
const response = new Response(cut, { headers: { 'content-type': 'text/event-stream' } })
for await (const { lastEventId, data } of parseServerSentEvents(response)) console.log(lastEventId, data)
JS
expected='1 {"unread":3}
2 {"unr'
found=$(node try.mjs)
printf 'parse-sse %s\n%s\n' "$(node -p 'JSON.parse(require("fs").readFileSync("node_modules/parse-sse/package.json")).version')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
