#!/usr/bin/env bash
# parse-prometheus-text-format 1.1.1 (npm): of a histogram with labels only the buckets of its last series are left.
#
# Guess: each combination of labels besides `le` is a histogram of its own, as the text format of Prometheus says ("histograms and
# summaries").
# Seen: the series overwrite each other's buckets, and neither their labels nor `_sum` and `_count` are kept. A gauge keeps its
# labels.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent parse-prometheus-text-format@1.1.1
cat >try.mjs <<'JS'
import parse from 'parse-prometheus-text-format'
const series = (method, n) =>
  `lag_bucket{topic="${method}",le="1"} ${n}\nlag_bucket{topic="${method}",le="+Inf"} ${n + 1}\nlag_sum{topic="${method}"} ${n}\nlag_count{topic="${method}"} ${n + 1}\n`
const text = `# TYPE lag histogram\n${series('mention', 1)}${series('change', 5)}# TYPE up gauge\nup{topic="mention"} 1\nup{topic="change"} 0\n`
for (const { name, metrics } of parse(text)) console.log(name, JSON.stringify(metrics))
JS
expected='lag [{"buckets":{"1":"5","+Inf":"6"}}]
up [{"value":"1","labels":{"topic":"mention"}},{"value":"0","labels":{"topic":"change"}}]'
found=$(node try.mjs)
printf 'parse-prometheus-text-format %s\n%s\n' "$(node -p 'JSON.parse(require("fs").readFileSync("node_modules/parse-prometheus-text-format/package.json")).version')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
