#!/usr/bin/env bash
# cloudevents 10.0.0 (npm): `Kafka.binary` makes a message that kafkajs 2.2.4 can't encode, and names no content type.
#
# Guess: what `Kafka.binary(event)` returns can be sent, as what `Kafka.structured(event)` returns can.
# Seen: the value is the object of the event's data, not its JSON, and `content-type` is undefined although the data is JSON;
# kafkajs's encoder of records throws a TypeError. The structured message is encoded.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent cloudevents@10.0.0 kafkajs@2.2.4
cat >try.cjs <<'JS'
const { CloudEvent, Kafka } = require('cloudevents')
const encode = require('kafkajs/src/protocol/recordBatch/record/v0')
const event = new CloudEvent({ id: '1', source: '/shop', type: 'order.placed', data: { total: 5 } })
for (const mode of ['binary', 'structured']) {
  const { key, value, headers } = Kafka[mode](event)
  let outcome = 'encoded'
  try {
    encode({ offsetDelta: 0, timestampDelta: 0, key, value, headers })
  } catch (error) {
    outcome = error.constructor.name
  }
  console.log(mode, typeof value, headers['content-type'] ?? 'no content type', outcome)
}
JS
expected='binary object no content type TypeError
structured string application/cloudevents+json; charset=utf-8 encoded'
found=$(node try.cjs)
printf 'cloudevents %s\n%s\n' "$(node -p 'require("cloudevents/package.json").version')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
