/** Reads the types of Kafka's protocol in sequence; throws a RangeError at the end of the bytes. */
export class ByteReader {
  readonly bytes: Buffer
  at = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  remaining(): number {
    return this.bytes.length - this.at
  }

  int8(): number {
    return this.bytes.readInt8(this.take(1))
  }

  int16(): number {
    return this.bytes.readInt16BE(this.take(2))
  }

  int32(): number {
    return this.bytes.readInt32BE(this.take(4))
  }

  int64(): bigint {
    return this.bytes.readBigInt64BE(this.take(8))
  }

  slice(length: number): Buffer {
    const start = this.take(length)
    return this.bytes.subarray(start, start + length)
  }

  varInt(): number {
    let bits = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte()
      bits |= (byte & 0x7f) << shift
      if (byte < 0x80) return (bits >>> 1) ^ -(bits & 1)
    }
    throw new RangeError('Varint of more than 5 bytes')
  }

  /** Reads a signed varint of up to 64 bits; exact up to 2^53. */
  varLong(): number {
    let sum = 0
    let factor = 1
    for (let count = 0; count < 10; count++) {
      const byte = this.byte()
      sum += (byte & 0x7f) * factor
      if (byte < 0x80) return sum % 2 === 0 ? sum / 2 : -(sum + 1) / 2
      factor *= 128
    }
    throw new RangeError('Varint of more than 10 bytes')
  }

  /** Reads length-prefixed bytes; a negative length means `null`. */
  varBytes(): Buffer | null {
    const length = this.varInt()
    return length < 0 ? null : this.slice(length)
  }

  private byte(): number {
    const byte = this.bytes[this.at++]
    if (byte === undefined) throw new RangeError('Unexpected end of bytes')
    return byte
  }

  private take(length: number): number {
    const start = this.at
    if (length < 0 || start + length > this.bytes.length) throw new RangeError('Unexpected end of bytes')
    this.at = start + length
    return start
  }
}
