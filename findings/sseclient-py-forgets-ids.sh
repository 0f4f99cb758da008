#!/usr/bin/env bash
# sseclient-py 1.9.0 (PyPI): an id that comes in a block without data is forgotten.
#
# Guess: the last event ID stays until another one comes, so the next event has it, as the specification of server-sent events says.
# Seen: the next event has no id. A server whose heartbeats advance the position with a bare `id:` is resumed from an older one,
# or from nothing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check sseclient-py==1.9.0
cat >try.py <<'PY'
from sseclient import SSEClient
stream = [b'id: 7\n\n', b'data: first\n\n', b'id: 8\ndata: second\n\n', b'data: third\n\n']
for event in SSEClient(iter(stream)).events():
    print(event.id, event.data)
PY
expected='None first
8 second
None third'
found=$(venv/bin/python try.py)
printf 'sseclient-py %s\n%s\n' "$(venv/bin/pip show sseclient-py 2>/dev/null | sed -n 's/^Version: //p')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
