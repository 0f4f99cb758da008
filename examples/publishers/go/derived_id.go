package main

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/google/uuid"
)

// derivedID is a UUIDv7: the time of the event, and the first 74 bits of a hash over subscriber, source and id.
func derivedID(subscriber, source, id string, milliseconds uint64) uuid.UUID {
	subscriberID := uuid.MustParse(subscriber)
	input := subscriberID[:]
	for _, text := range []string{source, id} {
		input = append(binary.BigEndian.AppendUint32(input, uint32(len(text))), text...)
	}
	hash := sha256.Sum256(input)
	// 12 bits of the hash follow the version, the next 62 the variant.
	first, second := binary.BigEndian.Uint64(hash[:]), binary.BigEndian.Uint64(hash[8:])
	high := milliseconds<<16 | 7<<12 | first>>52
	low := uint64(2)<<62 | (first<<12|second>>52)>>2
	return uuid.UUID(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, high), low))
}
