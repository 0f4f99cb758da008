import type { Attack, Expected } from '../attacks/attack.ts'
import type { Campaign } from '../campaign/campaign.ts'
import { keyOfIds } from '../oracle/announced-notification.ts'
import { type FoundLetter, headerOf } from '../oracle/dead-letter-log.ts'
import type { StoredDocuments } from '../oracle/stored-documents.ts'
import { type OfSubscriber, rangeOf } from '../oracle/subscriber-range.ts'
import { until } from '../until.ts'

type Outcome = {
  readonly attack: Attack
  readonly expected: Expected
  /** The values of all records by their place. */
  readonly published: ReadonlyMap<string, string>
  readonly subscriberId: string
}

const collections: readonly OfSubscriber[] = ['notifications', 'changeEntries', 'waitingReceipts']

/** Compares the dead letters and the numbers of documents with the expected ones. @returns what is wrong */
export async function compareAttack(campaign: Campaign, outcome: Outcome): Promise<string[]> {
  const { expected, subscriberId } = outcome
  const wrong = [...(expected.wrong ?? [])]
  for (const name of collections) {
    const stored = await campaign.stored[name].countDocuments(rangeOf(keyOfIds(subscriberId), name))
    if (stored !== (expected[name] ?? 0)) wrong.push(`${stored} ${name}, not ${expected[name] ?? 0}`)
  }
  return [...wrong, ...(await compareLetters(campaign, outcome))]
}

async function compareLetters(campaign: Campaign, { expected, published }: Outcome): Promise<string[]> {
  const { deadLetters, offsets, topics } = campaign
  const ends = await offsets.ends([topics.deadLetter])
  const isRead = () => [...ends].every(([name, end]) => deadLetters.position(Number(name.split('/').at(-1))) >= end)
  await until('the dead letters to be read', isRead)
  const counts: Record<string, number> = {}
  const wrong: string[] = []
  for (const [place, value] of published) {
    for (const letter of deadLetters.letters.get(place)?.slice(0, 1) ?? []) {
      const code = headerOf(letter, 'herald-error-code') ?? ''
      counts[code] = (counts[code] ?? 0) + 1
      const detail = differenceOf(letter, value, topics.mention) ?? expected.wrongIn?.(letter)
      if (detail !== undefined) wrong.push(`the dead letter of ${place}: ${detail}`)
    }
  }
  const wanted = expected.letters ?? {}
  for (const code of new Set([...Object.keys(counts), ...Object.keys(wanted)])) {
    if (counts[code] !== wanted[code]) wrong.push(`${counts[code] ?? 0} dead letters ${code}, not ${wanted[code] ?? 0}`)
  }
  return wrong
}

/** Values of captured changes are not compared, because they are redacted. */
function differenceOf(letter: FoundLetter, value: string, mentionTopic: string): string | undefined {
  if (headerOf(letter, 'herald-origin-topic') !== mentionTopic) return undefined
  return letter.value === Buffer.from(value).toString('base64') ? undefined : 'different value'
}

/** Removes the documents of an attacker, so that the stored documents are those of the plan again. */
export async function removeSubscriber(stored: StoredDocuments, subscriberId: string): Promise<void> {
  for (const name of collections) await stored[name].deleteMany(rangeOf(keyOfIds(subscriberId), name))
}
