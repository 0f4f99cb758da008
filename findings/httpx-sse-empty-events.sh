#!/usr/bin/env bash
# httpx-sse 0.4.3 (PyPI): a block of only `retry:`, `id:` or a comment is an event with empty data.
#
# Guess: a block without `data` sets the interval or the id and is no event, as the specification of server-sent events says.
# Seen: each is yielded as a `message` whose data is the empty text, on which `event.json()` raises. So a server that wants to be
# read by it puts `retry:` into the block of its first event, and data into its heartbeats.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check httpx==0.28.1 httpx-sse==0.4.3
cat >try.py <<'PY'
import httpx
from httpx_sse import connect_sse
stream = b'retry: 2000\n\nid: 7\n\n: a comment\n\ndata: x\n\n'
headers = {'content-type': 'text/event-stream'}
transport = httpx.MockTransport(lambda request: httpx.Response(200, headers=headers, content=stream))
with httpx.Client(transport=transport) as client, connect_sse(client, 'GET', 'http://127.0.0.1/') as source:
    for event in source.iter_sse():
        print(event.event, repr(event.id), repr(event.data), event.retry)
PY
expected="message '' '' 2000
message '7' '' None
message '7' '' None
message '7' 'x' None"
found=$(venv/bin/python try.py)
printf 'httpx-sse %s\n%s\n' "$(venv/bin/pip show httpx-sse 2>/dev/null | sed -n 's/^Version: //p')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
