#!/usr/bin/env bash
# iso8601 2.1.0 (PyPI): the minutes become seconds if they have a decimal fraction.
#
# Guess: 03:04.5 is 03:04:30, since the lowest element of a time may have a fraction (ISO 8601:2004, 4.2.2.4), or an error.
# Seen: it is 03:00:04.5, and no error. 03:04 and 0304 are read as minutes, 0304,5 is not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check iso8601==2.1.0
cat >try.py <<'PY'
from iso8601 import parse_date
for text in ('03:04', '03:04.5', '0304', '0304,5'):
    print(text, parse_date(f'2026-01-02T{text}Z').time())
PY
expected='03:04 03:04:00
03:04.5 03:00:04.500000
0304 03:04:00
0304,5 03:00:04.500000'
found=$(venv/bin/python try.py)
printf 'iso8601 %s\n%s\n' "$(venv/bin/pip show iso8601 2>/dev/null | sed -n 's/^Version: //p')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
