#!/usr/bin/env bash
# json-merge-patch 0.3.0 (PyPI): a change between 0 and false, or 1 and true, is no change.
#
# Guess: applying the patch of two documents to the first gives the second (RFC 7396), and JSON's numbers are not its booleans.
# Seen: the patch is empty, because Python's 1 equals True; in a list too. A field whose type is corrected stays as it was, while
# `false` to `true` is patched.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check json-merge-patch==0.3.0
cat >try.py <<'PY'
import json
from json_merge_patch import create_patch, merge
for before, after in ((0, False), (1, True), ([1], [True]), (False, True)):
    patch = create_patch({'read': before}, {'read': after})
    print(json.dumps(before), json.dumps(after), json.dumps(patch), 'gives', json.dumps(merge({'read': before}, patch)['read']))
PY
expected='0 false {} gives 0
1 true {} gives 1
[1] [true] {} gives [1]
false true {"read": true} gives true'
found=$(venv/bin/python try.py)
printf 'json-merge-patch %s\n%s\n' "$(venv/bin/pip show json-merge-patch 2>/dev/null | sed -n 's/^Version: //p')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
