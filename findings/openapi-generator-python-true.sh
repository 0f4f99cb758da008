#!/usr/bin/env bash
# openapi-generator 7.25.0, python (Maven): a client refuses the only value that its document allows.
#
# Guess: `{ "type": "boolean", "const": true }` makes a field that may be `True`.
# Seen: the model compares the value with the text 'true', so `True` is refused ("must be one of enum values ('true')"), and a text is
# no boolean: the field can't be set. From OpenAPI 3.0's `enum: [true]` the field can be set. Write `"not": { "const": false }`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >openapi.json <<'JSON'
{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{"/":{"post":{"operationId":"mark","requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Mark"}}}},"responses":{"204":{"description":"done"}}}}},
"components":{"schemas":{"Mark":{"type":"object","properties":{"all":{"type":"boolean","const":true}}}}}}
JSON
artifact=org.openapitools:openapi-generator-cli:7.25.0
plugin=org.apache.maven.plugins:maven-dependency-plugin:3.8.1
mvn -q -B "$plugin:copy" "-Dartifact=$artifact" -DoutputDirectory=. >/dev/null
java -jar openapi-generator-cli-7.25.0.jar generate -g python -i openapi.json -o client >/dev/null 2>&1
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pydantic==2.14.3 python-dateutil==4.0.0 urllib3==2.8.0 typing_extensions==4.16.0
cat >try.py <<'PY'
from openapi_client import Mark
for value in (True, 'true'):
    try:
        print(repr(value), 'accepted', Mark(all=value).all)
    except ValueError as error:
        print(repr(value), 'refused')
PY
expected="True refused
'true' refused"
found=$(PYTHONPATH=client venv/bin/python try.py)
printf '%s\n%s\n' "$artifact" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
