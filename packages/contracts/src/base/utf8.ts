import { isAscii, isUtf8 } from 'node:buffer'

/** Decodes UTF-8, without a byte-order mark; `undefined` if it is not UTF-8. V8 reads ASCII, which most is, without decoding. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString('latin1')
  return isUtf8(bytes) ? bytes.toString().replace(/^\uFEFF/, '') : undefined
}

/** Whether bytes begin like those of a schema registry’s serializer (Avro, Protobuf, JSON Schema): 0 and a schema’s number. */
export const hasRegistryBytes = (bytes: Uint8Array): boolean => bytes.length > 5 && bytes[0] === 0
