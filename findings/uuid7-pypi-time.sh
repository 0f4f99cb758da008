#!/usr/bin/env bash
# uuid7 0.1.0 (PyPI): the time in its ids is not that of RFC 9562.
#
# Guess: the first 48 bits of a UUIDv7 are Unix milliseconds.
# Seen: an earlier draft is followed: the first 36 bits are seconds, then fractions of one. Version and variant are those of a
# UUIDv7, so that readers take it for one: 2020-01-01 reads as a day in 2174. Such ids sort behind all real ones, and whoever takes
# the time from an id, or a page's cursor from a time, is 150 years off.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check uuid7==0.1.0
cat >try.py <<'PY'
from datetime import datetime, timezone
from uuid_extensions import uuid7
seconds = 1577836800
made = uuid7(seconds * 10**9)
read = int(made.hex[:12], 16)
print('version', made.version)
print('made for', datetime.fromtimestamp(seconds, timezone.utc).date(), 'read by RFC 9562', datetime.fromtimestamp(read / 1000, timezone.utc).date())
print('first 36 bits are the seconds:', int(made.hex[:9], 16) == seconds)
PY
expected='version 7
made for 2020-01-01 read by RFC 9562 2174-10-19
first 36 bits are the seconds: True'
found=$(venv/bin/python try.py)
printf 'uuid7 %s\n%s\n' "$(venv/bin/pip show uuid7 2>/dev/null | sed -n 's/^Version: //p')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
