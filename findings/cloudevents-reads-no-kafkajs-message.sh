#!/usr/bin/env bash
# cloudevents 10.0.0 (npm): `Kafka.toEvent` and `Kafka.isEvent` read no message as kafkajs 2.2.4 hands it to `eachMessage`.
#
# Guess: the SDK's Kafka binding takes a message of a consumer of kafkajs, which is the client of its own example.
# Seen: kafkajs gives every header as a Buffer; the SDK calls `startsWith` on the content type and throws a TypeError, in both
# modes. With each header made a text it reads the same message.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent cloudevents@10.0.0
cat >try.cjs <<'JS'
const { CloudEvent, Kafka } = require('cloudevents')
const event = new CloudEvent({ id: '1', source: '/shop', type: 'order.placed', datacontenttype: 'application/json', data: { total: 5 } })
const mapped = (headers, to) => Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined).map(([name, value]) => [name, to(value)]))
for (const mode of ['binary', 'structured']) {
  const { value, headers } = Kafka[mode](event)
  const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
  for (const [form, to] of [['buffers', (text) => Buffer.from(String(text))], ['texts', String]]) {
    try {
      console.log(mode, form, Kafka.toEvent({ key: null, value: bytes, headers: mapped(headers, to) }).data.total)
    } catch (error) {
      console.log(mode, form, error.constructor.name)
    }
  }
}
JS
expected='binary buffers TypeError
binary texts 5
structured buffers TypeError
structured texts 5'
found=$(node try.cjs)
printf 'cloudevents %s\n%s\n' "$(node -p 'require("cloudevents/package.json").version')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
