// Verifies leaves, proofs and checkpoints of a sealed change log with the libraries of other transparency logs. It reads
// cases as JSON from stdin, and writes one line for each: "ok", or why it does not verify.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/gowebpki/jcs"
	"github.com/transparency-dev/formats/log"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
)

type testCase struct {
	Kind string

	// A checkpoint.
	VerifierKey, Origin, Note string

	// A proof.
	Index, Size, From, To            uint64
	LeafHash, Root, FromRoot, ToRoot []byte
	Hashes                           [][]byte

	// A line of a sealed export.
	Line json.RawMessage
}

type line struct {
	LeafHash, Salt, UserSalt, UserHash []byte
	Entry                              map[string]json.RawMessage
	Erasure                            json.RawMessage
}

func main() {
	var cases []testCase
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, c := range cases {
		if err := verify(c); err != nil {
			fmt.Println(string(bytes.ReplaceAll([]byte(err.Error()), []byte("\n"), []byte(" "))))
		} else {
			fmt.Println("ok")
		}
	}
}

func verify(c testCase) error {
	switch c.Kind {
	case "checkpoint":
		return verifyCheckpoint(c)
	case "inclusion":
		return proof.VerifyInclusion(rfc6962.DefaultHasher, c.Index, c.Size, c.LeafHash, c.Hashes, c.Root)
	case "consistency":
		return proof.VerifyConsistency(rfc6962.DefaultHasher, c.From, c.To, c.Hashes, c.FromRoot, c.ToRoot)
	case "line":
		return verifyLine(c.Line)
	}
	return fmt.Errorf("unknown kind %q", c.Kind)
}

func verifyCheckpoint(c testCase) error {
	verifier, err := note.NewVerifier(c.VerifierKey)
	if err != nil {
		return err
	}
	checkpoint, _, _, err := log.ParseCheckpoint([]byte(c.Note), c.Origin, verifier)
	if err != nil {
		return err
	}
	if checkpoint.Size != c.Size || !bytes.Equal(checkpoint.Hash, c.Root) {
		return errors.New("another size or root")
	}
	return nil
}

func verifyLine(raw json.RawMessage) error {
	var l line
	if err := json.Unmarshal(raw, &l); err != nil {
		return err
	}
	data, err := leafData(l)
	if err != nil {
		return err
	}
	if !bytes.Equal(rfc6962.DefaultHasher.HashLeaf(data), l.LeafHash) {
		return errors.New("leaf hash mismatch")
	}
	return nil
}

func leafData(l line) ([]byte, error) {
	if l.Erasure != nil {
		erasure, err := jcs.Transform(l.Erasure)
		return append([]byte{2}, erasure...), err
	}
	userHash := l.UserHash
	if userHash == nil {
		user, err := jcs.Transform(l.Entry["user"])
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(append(l.UserSalt, user...))
		userHash = sum[:]
	}
	fields := map[string]any{"userHash": userHash}
	for name, value := range l.Entry {
		if name != "user" {
			fields[name] = value
		}
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	entry, err := jcs.Transform(text)
	return append(append([]byte{1}, l.Salt...), entry...), err
}
