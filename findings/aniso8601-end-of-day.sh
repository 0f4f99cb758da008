#!/usr/bin/env bash
# aniso8601 10.0.1 (PyPI): 24:00, the end of a day, is read as its beginning.
#
# Guess: 2026-01-02T24:00:00Z is the first moment of 3 January (ISO 8601:2004, 4.2.3: midnight at the end of a calendar day); a
# parser without it raises, as Python's own does.
# Seen: it is 2 January 00:00, a day too early, and no error. An interval until the end of its day has no length.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check aniso8601==10.0.1
cat >try.py <<'PY'
from aniso8601 import parse_datetime, parse_interval
print(parse_datetime('2026-01-02T24:00:00Z').isoformat())
start, end = parse_interval('2026-01-02T00:00:00Z/2026-01-02T24:00:00Z')
print('interval', end - start)
PY
expected='2026-01-02T00:00:00+00:00
interval 0:00:00'
found=$(venv/bin/python try.py)
printf 'aniso8601 %s\n%s\n' "$(venv/bin/pip show aniso8601 2>/dev/null | sed -n 's/^Version: //p')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
