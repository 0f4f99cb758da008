import { randomUUID } from 'node:crypto'
import type { Attack, Attacker, AttackMessage } from './attack.ts'

/** The mapping of the topic of captured changes; `secret` is redacted, so that dead letters are parsed and written anew. */
export const mappingOf = (topic: string) => `
topics:
  ${topic}:
    entityType: customer
    subscriberId: tenant
    entityId: id
    entityTitle: name
    user: { id: changed_by }
    replicaIdentity: full
    redact: [résumé, secret]
`

type Row = Readonly<Record<string, unknown>>

const changedBy = randomUUID()
let position = 0

function changeOf(
  { subscriberId, timeMs }: Attacker,
  before: Row | null,
  after: Row,
  key: Row = { id: position },
): AttackMessage {
  const identity = { id: position, tenant: subscriberId, changed_by: changedBy, name: 'Ada', secret: 's' }
  const source = {
    connector: 'postgresql',
    name: 'shop',
    db: 'shop',
    schema: 'public',
    table: 'customer',
    ts_ms: timeMs,
  }
  const envelope = {
    op: 'u',
    before: before && { ...identity, ...before },
    after: { ...identity, ...after },
    source: { ...source, lsn: position++ },
    ts_ms: timeMs,
    transaction: null,
  }
  return { key: JSON.stringify(key), value: JSON.stringify(envelope) }
}

const fields = (count: number, value: unknown): Row =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, value]))

const changesPerRecord = 200

const keyOfManyMembers: Attack = {
  name: 'captured changes with a key of 60,000 members',
  async run(attacker) {
    const key = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`k${n}`, n % 10]))
    const [before, after] = [fields(changesPerRecord, 0), fields(changesPerRecord, 1)]
    const count = attacker.isShort ? 3 : 20
    await attacker.publish(
      'captured',
      Array.from({ length: count }, () => changeOf(attacker, before, after, key)),
    )
    await attacker.publish('captured', [changeOf(attacker, before, after)])
    return { letters: { record_too_large: count }, changeEntries: changesPerRecord }
  },
}

const longMappedTexts: Attack = {
  name: '11 MB of captured changes with long mapped texts',
  async run(attacker) {
    const count = attacker.isShort ? 40 : 288
    const rows = (name: string) =>
      Array.from({ length: count }, () => {
        const states = ['a', 'b'].map((letter) => ({ ...fields(changesPerRecord, letter.repeat(75)), name }))
        return changeOf(attacker, states[0] ?? null, states[1] ?? {})
      })
    await attacker.publish('captured', rows('n'.repeat(2_000)), { perBatch: 24, codec: 'zstd' })
    await attacker.publish('captured', rows('n'.repeat(250)), { perBatch: 24, codec: 'zstd' })
    return { letters: { too_many_changes: count }, changeEntries: count * changesPerRecord }
  },
}

/** Marks of two classes in turn: each has to be sorted among all before it. */
const marks = '\u0301\u0316'.repeat(240_000)

const combiningMarks: Attack = {
  name: '1 MiB of combining marks where fields are redacted',
  async run(attacker) {
    await attacker.publish('captured', [
      changeOf(attacker, {}, { [`e${marks}`]: 1 }),
      changeOf(attacker, null, { [`e${marks}`]: 1 }),
      changeOf(attacker, null, { document: `{"e${marks}` }),
      changeOf(attacker, {}, { document: `{"e${marks}` }),
    ])
    return { letters: { before_missing: 2 }, changeEntries: 2 }
  },
}

export const capturedChangeAttacks = [keyOfManyMembers, longMappedTexts, combiningMarks]
