#!/usr/bin/env bash
# joserfc 1.8.0 (PyPI): one key that it doesn't know makes a whole set of keys unreadable.
#
# Guess: keys out of the supported range are left out (RFC 7517, 5: implementations should ignore them), as those of an unknown
# `kty` are.
# Seen: a key of another curve raises KeyError, one of a private `use` (4.2 allows it) KeyParameterError, and the known key is
# lost with it. An issuer that adds such a key stops these clients, although it signs with the old one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check joserfc==1.8.0
cat >try.py <<'PY'
from joserfc.jwk import ECKey, KeySet
known = {**ECKey.generate_key('P-256', private=False).as_dict(), 'kid': '1'}
others = {'kty': {'kty': 'AKP', 'alg': 'ML-DSA-44', 'pub': 'AAAA', 'kid': '2'},
          'crv': {**known, 'crv': 'BP-256', 'kid': '2'}, 'use': {**known, 'use': 'tls', 'kid': '2'}}
for member, other in others.items():
    try:
        print(member, *(key.kid for key in KeySet.import_key_set({'keys': [known, other]}).keys))
    except Exception as error:
        print(member, type(error).__name__)
PY
expected='kty 1
crv KeyError
use KeyParameterError'
found=$(venv/bin/python try.py)
printf 'joserfc %s\n%s\n' "$(venv/bin/pip show joserfc 2>/dev/null | sed -n 's/^Version: //p')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
