#!/usr/bin/env bash
# github.com/wI2L/jsondiff 0.7.1 (Go): the patch of two texts holds integers that neither of them has.
#
# Guess: `CompareJSON` works on the texts, so a value of the patch is copied from the second one.
# Seen: both are read as doubles: a renamed member gets 9007199254740992 for 9007199254740993, and between 12345678901234567890
# and …91 no difference is found. With `UnmarshalFunc` and a decoder that uses `json.Number` both are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export GOFLAGS=-mod=mod
cat >go.mod <<'GO'
module example.org/try

go 1.24.0

require github.com/wI2L/jsondiff v0.7.1
GO
cat >main.go <<'GO'
package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/wI2L/jsondiff"
)

func exact(text []byte, value any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(value)
}

func main() {
	for _, pair := range [][2]string{{`{"a":9007199254740993}`, `{"b":9007199254740993}`}, {`[12345678901234567890]`, `[12345678901234567891]`}} {
		for _, options := range [][]jsondiff.Option{nil, {jsondiff.UnmarshalFunc(exact)}} {
			patch, err := jsondiff.CompareJSON([]byte(pair[0]), []byte(pair[1]), options...)
			if err != nil {
				panic(err)
			}
			values := []any{}
			for _, operation := range patch {
				if operation.Value != nil {
					values = append(values, operation.Value)
				}
			}
			text, _ := json.Marshal(values)
			fmt.Println(pair[1], "values of the patch", string(text))
		}
	}
}
GO
expected='{"b":9007199254740993} values of the patch [9007199254740992]
{"b":9007199254740993} values of the patch [9007199254740993]
[12345678901234567891] values of the patch []
[12345678901234567891] values of the patch [12345678901234567891]'
found=$(go run . 2>/dev/null)
printf 'wI2L/jsondiff %s\n%s\n' "$(go list -m -f '{{.Version}}' github.com/wI2L/jsondiff)" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
