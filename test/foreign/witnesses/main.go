// Runs the handler of transparency-dev/witness, which has no program for a log list in a file, and the SSH agent from which
// litewitness gets its key. Both print one line when they are ready: the verifier key, or the fingerprint of the key.
package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	f_note "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/witness/config"
	"github.com/transparency-dev/witness/persistence/sqlite"
	"github.com/transparency-dev/witness/witness"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/mod/sumdb/note"
)

func main() {
	log.SetFlags(0)
	switch {
	case len(os.Args) == 3 && os.Args[1] == "agent":
		serveAgent(os.Args[2])
	case len(os.Args) == 5 && os.Args[1] == "witness":
		serveWitness(os.Args[2], os.Args[3], os.Args[4])
	default:
		log.Fatal("Usage: agent SOCKET | witness NAME ADDRESS FOLDER")
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// serveAgent has a new Ed25519 key.
func serveAgent(socket string) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	keyring := agent.NewKeyring()
	signer := must(ssh.NewSignerFromKey(must(key, err)))
	if err := keyring.Add(agent.AddedKey{PrivateKey: &key}); err != nil {
		log.Fatal(err)
	}
	listener := must(net.Listen("unix", socket))
	fmt.Println(ssh.FingerprintSHA256(signer.PublicKey()))
	for {
		connection := must(listener.Accept())
		go agent.ServeAgent(keyring, connection)
	}
}

// serveWitness keeps its key and its state in the folder, and knows the logs of the file "logs" there.
func serveWitness(name, address, folder string) {
	ctx := context.Background()
	keys := filepath.Join(folder, "keys")
	if _, err := os.Stat(keys); err != nil {
		private, public, err := note.GenerateKey(rand.Reader, name)
		both := must(private, err) + "\n" + must(f_note.VKeyToCosignatureV1(public))
		if err := os.WriteFile(keys, []byte(both), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	private, public, _ := strings.Cut(string(must(os.ReadFile(keys))), "\n")
	state, _, err := sqlite.New(ctx, sqlite.Opts{Path: filepath.Join(folder, "state.db")})
	handler := witness.NewHTTPHandler(must(witness.New(ctx, witness.Opts{
		Persistence:    must(state, err),
		Signers:        []note.Signer{must(f_note.NewSignerForCosignatureV1(private))},
		VerifierForLog: verifierIn(folder),
	})))
	http.HandleFunc("POST /add-checkpoint", handler.AddCheckpoint)
	listener := must(net.Listen("tcp", address))
	fmt.Println(public)
	log.Fatal(http.Serve(listener, nil))
}

func verifierIn(folder string) func(context.Context, string) (note.Verifier, bool, error) {
	return func(_ context.Context, origin string) (note.Verifier, bool, error) {
		file, err := os.Open(filepath.Join(folder, "logs"))
		if os.IsNotExist(err) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		defer file.Close()
		logs, err := config.ParsePublicWitnessConfig(file)
		for _, known := range logs {
			if known.Origin == origin {
				return known.Verifier, true, nil
			}
		}
		return nil, false, err
	}
}
