#!/usr/bin/env bash
# @platformatic/kafka 2.12.1 (npm): by default a key goes to another partition than Java's and KafkaJS's producers choose.
#
# Guess: its murmur2 is Java's, so the default partition of a key is too.
# Seen: the hash is the same, but is made positive in another way: as an unsigned number, where Java drops the sign bit. For half of
# the keys, and a number of partitions that is no power of two, the remainder differs. Two publishers of one key, one with each
# library, write to two partitions, and the order between them is lost. Its `compatibilityPartitioner` is Java's.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent @platformatic/kafka@2.12.1 kafkajs@2.2.4
cat >try.mjs <<'JS'
import { createHash } from 'node:crypto'
import { compatibilityPartitioner, defaultPartitioner } from '@platformatic/kafka'
import kafkajs from 'kafkajs'
const partitionOf = kafkajs.Partitioners.DefaultPartitioner()
const keys = Array.from({ length: 1000 }, (_, n) => createHash('sha256').update(String(n)).digest('hex').slice(0, 32))
for (const partitions of [6, 8]) {
  const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({ partitionId, leader: 0 }))
  const other = (partitioner) => keys.filter((key) => {
    const message = { key: Buffer.from(key), value: null }
    return partitioner(message, message.key) % partitions !== partitionOf({ topic: 't', partitionMetadata, message })
  }).length
  console.log(partitions, 'partitions: default', other(defaultPartitioner), 'of 1000 differ, compatible', other(compatibilityPartitioner))
}
JS
expected='6 partitions: default 469 of 1000 differ, compatible 0
8 partitions: default 0 of 1000 differ, compatible 0'
found=$(node try.mjs)
printf '@platformatic/kafka %s\n%s\n' "$(node -p 'JSON.parse(require("fs").readFileSync("node_modules/@platformatic/kafka/package.json")).version')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
