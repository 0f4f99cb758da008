#!/usr/bin/env bash
# aiosseclient 0.1.8 (PyPI): data with U+2028, which JSON allows within texts, is cut there.
#
# Guess: a line ends at CR, LF or both, and nothing else, as the specification of server-sent events says.
# Seen: U+2028 and U+0085 end it too, and the rest is dropped as an unknown field. `JSON.stringify` and other writers leave them as
# they are, so a text pasted from a word processor makes JSON that can't be parsed; as \u2028 it is read.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check aiosseclient==0.1.8
cat >try.py <<'PY'
import asyncio, json, logging
from aiosseclient import aiosseclient
logging.disable()
texts = ['plain', 'with\u2028line separator', 'with\u0085next line']
events = ''.join(f'data: {json.dumps(text, ensure_ascii=False)}\n\n' for text in texts) + f'data: {json.dumps(texts[1])}\n\n'
async def serve(reader, writer):
    await reader.readuntil(b'\r\n\r\n')
    body = events.encode()
    writer.write(f'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {len(body)}\r\n\r\n'.encode() + body)
    await writer.drain()
    writer.close()
async def read():
    server = await asyncio.start_server(serve, '127.0.0.1', 0)
    seen = 0
    async for event in aiosseclient(f'http://127.0.0.1:{server.sockets[0].getsockname()[1]}/'):
        try:
            print(ascii(json.loads(event.data)).replace("'", ''))
        except ValueError:
            print('no JSON:', event.data)
        seen += 1
        if seen == 4:
            break
asyncio.run(asyncio.wait_for(read(), 20))
PY
expected='plain
no JSON: "with
no JSON: "with
with\u2028line separator'
found=$(venv/bin/python try.py)
printf 'aiosseclient %s\n%s\n' "$(venv/bin/pip show aiosseclient 2>/dev/null | sed -n 's/^Version: //p')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
