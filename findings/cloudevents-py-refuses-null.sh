#!/usr/bin/env bash
# cloudevents 2.2.0 (PyPI): an optional attribute that is null in JSON makes the event invalid.
#
# Guess: null is an attribute that is not set: a decoder must treat it so (CloudEvents 1.0.2, JSON format, 2.2).
# Seen: the core API raises for `subject`, `datacontenttype` and `dataschema`, and keeps an extension whose value is None. The
# older API drops the first three, and keeps the extension too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check cloudevents==2.2.0
cat >try.py <<'PY'
import json
from cloudevents.core.exceptions import CloudEventValidationError
from cloudevents.core.formats.json import JSONFormat
from cloudevents.core.v1.event import CloudEvent
from cloudevents.v1.http import from_json
for name in ('subject', 'datacontenttype', 'dataschema', 'partitionkey'):
    text = json.dumps({'specversion': '1.0', 'id': '1', 'source': '/shop', 'type': 'order.placed', name: None})
    try:
        core = 'kept' if name in JSONFormat().read(CloudEvent, text).get_attributes() else 'dropped'
    except CloudEventValidationError as error:
        core = type(error).__name__
    print(name, 'core', core, '| v1', 'kept' if name in from_json(text).get_attributes() else 'dropped')
PY
expected='subject core CloudEventValidationError | v1 dropped
datacontenttype core CloudEventValidationError | v1 dropped
dataschema core CloudEventValidationError | v1 dropped
partitionkey core kept | v1 kept'
found=$(venv/bin/python try.py)
printf 'cloudevents %s\n%s\n' "$(venv/bin/pip show cloudevents 2>/dev/null | sed -n 's/^Version: //p')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
