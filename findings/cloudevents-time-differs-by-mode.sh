#!/usr/bin/env bash
# cloudevents 10.0.0 (npm): one event has two texts of its time, by the mode in which it is sent over Kafka.
#
# Guess: the attribute `time` is sent as it was given, in both modes.
# Seen: the binary mode keeps the text; the structured mode writes it anew with milliseconds, and in UTC. A consumer that compares
# or hashes the text of `time` takes the two for different events; it has to compare the moment.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent cloudevents@10.0.0
cat >try.cjs <<'JS'
const { CloudEvent, Kafka } = require('cloudevents')
for (const time of ['2026-01-02T03:04:05Z', '2026-01-02T05:04:05+02:00']) {
  const event = new CloudEvent({ id: '1', source: '/shop', type: 'order.placed', time, data: 'x' })
  console.log(Kafka.binary(event).headers.ce_time, JSON.parse(Kafka.structured(event).value).time)
}
JS
expected='2026-01-02T03:04:05Z 2026-01-02T03:04:05.000Z
2026-01-02T05:04:05+02:00 2026-01-02T03:04:05.000Z'
found=$(node try.cjs)
printf 'cloudevents %s\n%s\n' "$(node -p 'require("cloudevents/package.json").version')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
