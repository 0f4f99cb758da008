import { createHash } from 'node:crypto'

/** The key of a notification: three UUIDs of 16 bytes. `id` is a UUIDv7, equal for every recipient of an event. */
export type Address = { subscriber: Buffer; recipient: Buffer; id: Buffer }

export type EventContent = {
  createdAt: Date
  actorId: Buffer
  actorName: string
  actorImage: string
  subjectId: Buffer
  locationId: Buffer
  metadata: string
}

export type Notification = { address: Address; content: EventContent }

const firstNames = [
  'Ada',
  'Björn',
  'Chiara',
  'Dmitri',
  'Efua',
  'Farid',
  'Grace',
  'Hanna',
  'Ivo',
  'Jun',
  'Katarzyna',
  'Lê',
]
const lastNames = [
  'Lovelace',
  'Andersen',
  'Rossi',
  'Okafor',
  'Haddad',
  'Hopper',
  'Nguyen',
  'Kowalska',
  'Tanaka',
  'Silva',
]
const words =
  'please could you check the revised figure in this section before we send it to the auditors tomorrow because supplier emissions look higher than last year and site Rotterdam still reports litres instead of cubic metres thanks I attached invoice scope three travel policy draft comment approval deadline Friday gas meter energy waste water baseline factor'.split(
    ' ',
  )
const firstMillisecond = Date.UTC(2026, 0, 1)

/** 16 bytes that look random and are the same on every run. */
export function bytesOf(name: string): Buffer {
  return createHash('sha256').update(name).digest().subarray(0, 16)
}

/** The UUIDv7 of event number `sequence`; events are 250 ms apart. */
export function idOf(sequence: number): Buffer {
  const bytes = Buffer.from(bytesOf(`event ${sequence}`))
  bytes.writeUIntBE(firstMillisecond + sequence * 250, 0, 6)
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return bytes
}

/** The content of an event, equal for all recipients: one of 500 actors, metadata of about 200 bytes. */
export function contentOf(sequence: number): EventContent {
  const seed = bytesOf(`content ${sequence}`)
  const actor = seed.readUInt16BE(0) % 500
  const actorName = `${firstNames[actor % firstNames.length]} ${lastNames[actor % lastNames.length]}`
  const snippet = Array.from({ length: 8 }, (_, i) => words[((seed[i] ?? 0) * 7 + i) % words.length]).join(' ')
  const mention = { entityType: 'data point', anchorId: seed.toString('hex', 0, 8), mentionerName: actorName, snippet }
  return {
    createdAt: new Date(firstMillisecond + sequence * 250),
    actorId: bytesOf(`actor ${actor}`),
    actorName,
    actorImage: `https://images.example.com/people/${actor}/64.png`,
    subjectId: bytesOf(`subject ${seed.readUInt16BE(2) % 2_000}`),
    locationId: bytesOf(`location ${sequence}`),
    metadata: JSON.stringify({ mention, add: {}, edit: {} }),
  }
}
