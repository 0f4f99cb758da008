#!/usr/bin/env bash
# event-source-plus 0.1.15 (npm): of an event with several lines of data only the last line is left.
#
# Guess: the lines of `data` are joined by line feeds, as the specification of server-sent events says.
# Seen: each line replaces the one before, and further blanks at its start are dropped. A JSON document that a server writes
# indented, or splits, can't be parsed; documents on one line are read as they are.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent event-source-plus@0.1.15
cat >try.mjs <<'JS'
import { createServer } from 'node:http'
import { EventSourcePlus } from 'event-source-plus'
const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('id: 1\ndata: {\ndata:   "unread": 3\ndata: }\n\nid: 2\ndata: {"unread":4}\n\n')
})
server.listen(0, '127.0.0.1', () => {
  const stream = new EventSourcePlus(`http://127.0.0.1:${server.address().port}/`).listen({
    onMessage({ id, data }) {
      console.log(id, JSON.stringify(data))
      if (id === '2') {
        stream.abort()
        server.closeAllConnections()
        server.close()
      }
    },
  })
})
JS
expected='1 "}"
2 "{\"unread\":4}"'
found=$(timeout 20 node try.mjs)
printf 'event-source-plus %s\n%s\n' "$(node -p 'JSON.parse(require("fs").readFileSync("node_modules/event-source-plus/package.json")).version')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
