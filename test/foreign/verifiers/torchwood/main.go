// Verifies proofs of a sealed change log as text (C2SP tlog-proof) with torchwood, which knows nothing of Herald. It reads a policy
// and proofs as JSON from stdin, and writes one line for each proof: "ok" and the data of its leaf, or why it does not verify.
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"filippo.io/torchwood"
	"golang.org/x/mod/sumdb/tlog"
)

type input struct {
	Policy string
	Proofs []string
}

func main() {
	var in input
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	policy, err := torchwood.ParsePolicy([]byte(in.Policy))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, proof := range in.Proofs {
		fmt.Println(verify(policy, []byte(proof)))
	}
}

func verify(policy torchwood.Policy, proof []byte) string {
	leaf, err := torchwood.ProofExtraData(proof)
	if err == nil {
		err = torchwood.VerifyProof(policy, tlog.RecordHash(leaf), proof)
	}
	if err != nil {
		return strings.ReplaceAll(err.Error(), "\n", " ")
	}
	return "ok " + base64.StdEncoding.EncodeToString(leaf)
}
