import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'
import type { Position } from '@herald/store'

const cipher = 'aes-256-gcm'
/** Version of the format of ids and of the key derivation. */
const version = 1
const nonceBytes = 12
const tagBytes = 16
const lengthBytes = 2
/** Positions are padded to multiples of this, because their length would reveal whether a change had just happened. */
const blockBytes = 128
const maxIdCharacters = 1_024

export type EventIds = ReturnType<typeof createEventIds>

/**
 * Creates the ids of one owner's events: positions, encrypted and authenticated with AES-256-GCM under a key derived
 * from the shared one for this owner. So ids cannot be used by other users, and no key encrypts enough ids for two
 * random nonces to collide.
 *
 * @param owner 64 hexadecimal digits, subscriber ‖ recipient; also bound in as additional data
 */
export function createEventIds(sharedKey: Buffer, owner: string) {
  const ownerBytes = Buffer.from(owner, 'hex')
  const info = Buffer.concat([Buffer.from(`herald event ids ${version} `), ownerBytes])
  // The key is a `KeyObject`: from bytes, each cipher would make one of its own, three quarters of the time of an id.
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', sharedKey, Buffer.alloc(0), info, 32)))
  const additional = Buffer.concat([Buffer.from([version]), ownerBytes])

  return {
    seal(position: Position): string {
      const nonce = randomBytes(nonceBytes)
      const encryption = createCipheriv(cipher, key, nonce).setAAD(additional)
      const content = Buffer.concat([encryption.update(pad(Buffer.from(position, 'hex'))), encryption.final()])
      return Buffer.concat([Buffer.from([version]), nonce, content, encryption.getAuthTag()]).toString('base64url')
    },
    /** Returns `undefined` for anything but an id of this owner. */
    open(id: string): Position | undefined {
      const bytes = Buffer.from(id.length <= maxIdCharacters ? id : '', 'base64url')
      if (bytes[0] !== version || bytes.length <= 1 + nonceBytes + tagBytes) return undefined
      try {
        const decryption = createDecipheriv(cipher, key, bytes.subarray(1, 1 + nonceBytes), { authTagLength: tagBytes })
        decryption.setAAD(additional).setAuthTag(bytes.subarray(-tagBytes))
        const content = [decryption.update(bytes.subarray(1 + nonceBytes, -tagBytes)), decryption.final()]
        return unpad(Buffer.concat(content)).toString('hex').toUpperCase()
      } catch {
        return undefined
      }
    },
  }
}

function pad(bytes: Buffer): Buffer {
  const padded = Buffer.alloc(Math.ceil((lengthBytes + bytes.length) / blockBytes) * blockBytes)
  padded.writeUInt16BE(bytes.length)
  bytes.copy(padded, lengthBytes)
  return padded
}

function unpad(padded: Buffer): Buffer {
  return padded.subarray(lengthBytes, lengthBytes + padded.readUInt16BE())
}
