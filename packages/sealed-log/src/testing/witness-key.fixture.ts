import { sign } from 'node:crypto'
import { sha256 } from '../hash/hashes.ts'
import { rawKeyOf, readWitnessKey } from '../note/verifier-key.ts'
import { createSigningKey } from './sealed-log.fixture.ts'

/** The key of a witness, which cosigns checkpoints (C2SP tlog-cosignature). */
export function createWitnessKey(name: string) {
  const { privateKey, publicKey } = createSigningKey()
  const raw = rawKeyOf(publicKey)
  const id = sha256(Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(4), raw])).subarray(0, 4)
  const verifierKey = `${name}+${id.toString('hex')}+${Buffer.concat([Buffer.of(4), raw]).toString('base64')}`
  const read = readWitnessKey(verifierKey)
  if (!read.ok) throw new Error(read.detail)
  return {
    verifierKey,
    key: read.key,
    /** The line of its cosignature of a note. */
    cosign(note: string, seconds = 1_700_000_000n): string {
      const text = note.slice(0, note.indexOf('\n\n') + 1)
      const time = Buffer.alloc(8)
      time.writeBigUInt64BE(seconds)
      const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`), privateKey)
      return `— ${name} ${Buffer.concat([id, time, signature]).toString('base64')}\n`
    },
  }
}
