#!/usr/bin/env bash
# github.com/peterhellberg/link 1.2.0 (Go): a comma within the address of a link is removed.
#
# Guess: what is between < and > is the address, whatever its characters (RFC 8288, 3; RFC 3986, 2.2 allows commas), or no link is
# found.
# Seen: commas are deleted from it, so the next page is asked for with another query; %2C is kept. A server that wants to be read
# by it escapes the commas of its lists.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export GOFLAGS=-mod=mod
cat >go.mod <<'GO'
module example.org/try

go 1.24.0

require github.com/peterhellberg/link v1.2.0
GO
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/peterhellberg/link"
)

func main() {
	for _, address := range []string{"https://shop.test/?kind=a,b&cursor=x", "https://shop.test/?kind=a%2Cb&cursor=x"} {
		fmt.Println(link.Parse("<" + address + `>; rel="next"`)["next"].URI)
	}
}
GO
expected='https://shop.test/?kind=ab&cursor=x
https://shop.test/?kind=a%2Cb&cursor=x'
found=$(go run . 2>/dev/null)
printf 'peterhellberg/link %s\n%s\n' "$(go list -m -f '{{.Version}}' github.com/peterhellberg/link)" "$found"
[ "$found" = "$expected" ] || { echo 'The behaviour has changed.'; exit 1; }
