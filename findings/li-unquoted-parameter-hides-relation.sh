#!/usr/bin/env bash
# li 1.3.0 (npm): a parameter behind one without quotes is not read, so that the link may have no relation.
#
# Guess: a value may have quotes or, if it is a token, none (RFC 8288, 3), and the order of the parameters has no meaning.
# Seen: a value without quotes takes the semicolon behind it, and the next parameter is then not recognised: `parse` returns no
# link if `rel` comes last. `title*`, whose value never has quotes (RFC 8187, 3.2.1), does the same.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent li@1.3.0
cat >try.mjs <<'JS'
import li from 'li'
for (const parameters of ['rel="next"; hreflang=en', 'hreflang=en; rel="next"', 'hreflang="en"; rel="next"'])
  console.log(parameters, '|', li.parse(`<https://shop.test/?cursor=2>; ${parameters}`).next ?? 'no link')
JS
expected='rel="next"; hreflang=en | https://shop.test/?cursor=2
hreflang=en; rel="next" | no link
hreflang="en"; rel="next" | https://shop.test/?cursor=2'
found=$(node try.mjs)
printf 'li %s\n%s\n' "$(node -p 'JSON.parse(require("fs").readFileSync("node_modules/li/package.json")).version')" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
