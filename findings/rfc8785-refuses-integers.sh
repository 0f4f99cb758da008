#!/usr/bin/env bash
# rfc8785 0.1.4 (PyPI): JSON with an integer beyond 2^53 - 1 has no canonical form.
#
# Guess: numbers are doubles, as RFC 8785 says, so 100000000000000000000, which a double holds, is written as it is, and
# 9007199254740993 as 9007199254740992. JavaScript and jcs 0.2.1 (PyPI) do that.
# Seen: Python reads such numbers as integers, and rfc8785 raises IntegerDomainError for each of them; as 1e20 the same value is
# accepted. So whoever verifies hashes of canonical JSON with it gives a double, not what `json.loads` made of the text:
# `json.loads(text, parse_int=float)`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check rfc8785==0.1.4 jcs==0.2.1
cat >try.py <<'PY'
import json, jcs, rfc8785
def attempt(value):
    try:
        return rfc8785.dumps(value).decode()
    except rfc8785.CanonicalizationError as error:
        return type(error).__name__
for text in ('100000000000000000000', '9007199254740993', '1e20'):
    print(text, '| rfc8785', attempt(json.loads(text)), '| jcs', jcs.canonicalize(json.loads(text)).decode(),
          '| rfc8785 as a double', attempt(json.loads(text, parse_int=float)))
PY
expected='100000000000000000000 | rfc8785 IntegerDomainError | jcs 100000000000000000000 | rfc8785 as a double 100000000000000000000
9007199254740993 | rfc8785 IntegerDomainError | jcs 9007199254740992 | rfc8785 as a double 9007199254740992
1e20 | rfc8785 100000000000000000000 | jcs 100000000000000000000 | rfc8785 as a double 100000000000000000000'
found=$(venv/bin/python try.py)
printf 'rfc8785 %s\n%s\n' "$(venv/bin/pip show rfc8785 2>/dev/null | sed -n 's/^Version: //p')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
