#!/usr/bin/env bash
# cloudevents 2.2.0 (PyPI): an event that was sent without a time gets the time at which it is read.
#
# Guess: `time` is optional (CloudEvents 1.0.2, "time"), so an event without it is read as one without it.
# Seen: both APIs fill in the clock's time, and write it when the event is passed on. A record that Kafka delivers twice becomes
# two events that differ, and the time is not that of the occurrence.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check cloudevents==2.2.0
cat >try.py <<'PY'
import json, time
from cloudevents.core.formats.json import JSONFormat
from cloudevents.core.v1.event import CloudEvent
from cloudevents.v1.conversion import to_json
from cloudevents.v1.http import from_json
text = json.dumps({'specversion': '1.0', 'id': '1', 'source': '/shop', 'type': 'order.placed', 'data': {'total': 5}})
form = JSONFormat()
apis = {'core': lambda: form.write(form.read(CloudEvent, text)), 'v1': lambda: to_json(from_json(text))}
for name, passed_on in apis.items():
    times = []
    for _ in range(2):
        times.append(json.loads(passed_on()).get('time'))
        time.sleep(0.01)
    print(name, 'has a time:', None not in times, 'twice the same:', times[0] == times[1])
PY
expected='core has a time: True twice the same: False
v1 has a time: True twice the same: False'
found=$(venv/bin/python try.py)
printf 'cloudevents %s\n%s\n' "$(venv/bin/pip show cloudevents 2>/dev/null | sed -n 's/^Version: //p')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
