#!/usr/bin/env bash
# uuid6 2025.0.1 (PyPI): ids made quickly are dated into the future, one millisecond for each.
#
# Guess: ids of one millisecond rise by their random bits or a counter, so that their time is that of the clock.
# Seen: each id gets a millisecond of its own: the 20,000th is dated 20 s after the first, although they are made in a fraction of
# a second, and so are all that follow until the clock has caught up. A page that ends at a time of the clock misses them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check uuid6==2025.0.1
cat >try.py <<'PY'
import time
from uuid6 import uuid7
first, *_, last = (uuid7() for _ in range(20_000))
ahead = last.time / 1000 - time.time()
print('a millisecond for each:', last.time - first.time >= 19_999, 'more than 5 s ahead of the clock:', ahead > 5)
PY
expected='a millisecond for each: True more than 5 s ahead of the clock: True'
found=$(venv/bin/python try.py)
printf 'uuid6 %s\n%s\n' "$(venv/bin/pip show uuid6 2>/dev/null | sed -n 's/^Version: //p')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
