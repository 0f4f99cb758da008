module example.org/herald-verifier

go 1.22.0

require (
	github.com/gowebpki/jcs v1.0.1
	github.com/transparency-dev/formats v0.0.0-20240826204810-ad21d25a1c7f
	github.com/transparency-dev/merkle v0.0.2
	golang.org/x/mod v0.21.0
)
