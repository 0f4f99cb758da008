import { randomUUID } from 'node:crypto'
import { headerOf } from '../oracle/dead-letter-log.ts'
import type { Attack } from './attack.ts'
import { eventOf, longTraceparent, manyIds, mentionOf } from './events.ts'
import { notificationIdOf } from './retractions.ts'

const longTraces: Attack = {
  name: '60 mentions with a trace of 7 MiB in zstd',
  async run(attacker) {
    const headers = { traceparent: longTraceparent }
    const count = attacker.isShort ? 20 : 60
    const mentions = Array.from({ length: count }, () =>
      eventOf(attacker, 'mention.created', mentionOf(manyIds(5)), { headers }),
    )
    await attacker.publish('mention', mentions, { perBatch: 20, codec: 'zstd' })
    return { notifications: count * 5 }
  },
}

/** Headers that Herald writes to a dead letter, as a publisher may send them. */
const claimed = {
  'herald-error-code': 'unknown_type',
  'herald-error-detail': 'claimed',
  'herald-origin-topic': 'privacy-events',
  'herald-origin-partition': '7',
  'herald-origin-offset': '7',
  'herald-value-omitted': '7',
  'herald-key-omitted': '7',
  'herald-headers-omitted': '7',
} as const

const claimedHeaders: Attack = {
  name: 'dead letters with headers of Herald that the publisher sent',
  async run(attacker) {
    const value = '{"not": "a CloudEvent"'
    await attacker.publish('mention', [
      { value, headers: { 'content-type': 'application/cloudevents+json', ...claimed } },
    ])
    return {
      letters: { not_json: 1 },
      wrongIn(letter) {
        const lost = Object.entries(claimed).filter(([name, text]) => headerOf(letter, `original-${name}`) !== text)
        if (lost.length > 0) return `no ${lost.map(([name]) => `original-${name}`).join(', ')}`
        return headerOf(letter, 'herald-value-omitted') === undefined ? undefined : 'claims that its value is omitted'
      },
    }
  },
}

const receiptsOfOne: Attack = {
  name: 'receipts for one missing notification, which is then stored',
  async run(attacker) {
    const recipientId = randomUUID()
    const notificationId = notificationIdOf(attacker, 'one')
    const count = attacker.isShort ? 3_000 : 20_000
    const receipts = Array.from({ length: count }, (_, n) =>
      eventOf(attacker, n % 2 === 0 ? 'email.sent' : 'notification.read', { notificationId, recipientId }),
    )
    await attacker.publish('receipt', receipts, { perBatch: 1_000, codec: 'zstd' })
    await attacker.committed()
    await attacker.publish('mention', [eventOf(attacker, 'mention.created', mentionOf([recipientId]), { id: 'one' })])
    return { notifications: 1, waitingReceipts: 0 }
  },
}

export const mentionAttacks = [longTraces, claimedHeaders, receiptsOfOne]
