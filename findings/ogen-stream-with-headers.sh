#!/usr/bin/env bash
# ogen 1.25.0 (Go): a client of a stream of events does not compile if the response has headers.
#
# Guess: described headers of a `text/event-stream` response are fields beside the stream, as for other media types.
# Seen: the stream is wrapped, and the generated client calls `initSSEStream` of the operation's interface, which lacks it: generation
# succeeds, `go build` fails. Without the headers, or with `"x-ogen-raw-response": true` beside the schema, it compiles.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export GOFLAGS=-mod=mod
cat >go.mod <<'GO'
module example.org/try

go 1.25.0

require github.com/ogen-go/ogen v1.25.0
GO
cat >ogen.yml <<'YAML'
generator: { features: { disable_all: true, enable: [paths/client] } }
YAML
# build EXTENSION: generates and compiles a client.
build() {
  cat >openapi.json <<JSON
{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{"/":{"get":{"operationId":"follow","responses":{
"200":{"description":"events","headers":{"X-Id":{"schema":{"type":"string"}}},"content":{"text/event-stream":{"schema":{"description":"events"}$1}}},
"401":{"description":"no","content":{"application/problem+json":{"schema":{"type":"object","properties":{"title":{"type":"string"}}}}}}}}}}}
JSON
  go run github.com/ogen-go/ogen/cmd/ogen --config ogen.yml --target client --package client --clean openapi.json >/dev/null 2>&1
  if go build ./client >log 2>&1; then echo compiles; else grep -o 'initSSEStream undefined' log | head -n 1; fi
}
expected='initSSEStream undefined
compiles'
found=$(build '' && build ',"x-ogen-raw-response":true')
printf 'ogen 1.25.0\n%s\n' "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
