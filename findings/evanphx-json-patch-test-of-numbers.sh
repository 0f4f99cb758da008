#!/usr/bin/env bash
# github.com/evanphx/json-patch 5.9.11 (Go): the operation `test` compares the text of numbers.
#
# Guess: numbers are equal if their values are (RFC 6902, 4.6), so a test of 1 with 1.0, or of 100 with 1e2, succeeds.
# Seen: it fails, while texts that are escaped in another way are equal. A patch whose maker writes numbers in another form
# (Python and Java write 1.0 for a double) is refused with the right values.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export GOFLAGS=-mod=mod
cat >go.mod <<'GO'
module example.org/try

go 1.24.0

require github.com/evanphx/json-patch/v5 v5.9.11
GO
cat >main.go <<'GO'
package main

import (
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

func main() {
	for _, pair := range [][2]string{{`1`, `1`}, {`1`, `1.0`}, {`100`, `1e2`}, {`"e"`, `"\u0065"`}} {
		patch, err := jsonpatch.DecodePatch([]byte(`[{"op":"test","path":"/a","value":` + pair[1] + `}]`))
		if err != nil {
			panic(err)
		}
		_, err = patch.Apply([]byte(`{"a":` + pair[0] + `}`))
		fmt.Println(pair[0], pair[1], "equal:", err == nil)
	}
}
GO
expected='1 1 equal: true
1 1.0 equal: false
100 1e2 equal: false
"e" "\u0065" equal: true'
found=$(go run . 2>/dev/null)
printf 'evanphx/json-patch %s\n%s\n' "$(go list -m -f '{{.Version}}' github.com/evanphx/json-patch/v5)" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
