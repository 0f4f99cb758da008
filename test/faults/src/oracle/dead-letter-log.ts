import { placeOf } from './ledger.ts'
import { type FoundRecord, followTopic, type TopicFollower, type TopicFollowerOptions } from './topic-follower.ts'

/** A record of the dead-letter topic. */
export type FoundLetter = FoundRecord

/** All records of the dead-letter topic. Letters found before it was recreated are kept. */
export type DeadLetterLog = TopicFollower & {
  /** By origin: topic/partition/offset. A crash may cause several letters of one origin. */
  letters: ReadonlyMap<string, FoundLetter[]>
  count(): number
}

export function followDeadLetters(options: Omit<TopicFollowerOptions, 'onRecord'>): DeadLetterLog {
  const letters = new Map<string, FoundLetter[]>()
  let count = 0
  const follower = followTopic({
    ...options,
    onRecord(letter) {
      const origin = originOf(letter)
      letters.set(origin, [...(letters.get(origin) ?? []), letter])
      count++
    },
  })
  return { ...follower, letters, count: () => count }
}

export function headerOf({ headers }: FoundLetter, name: string): string | undefined {
  const value = headers.find(([found]) => found === name)?.[1]
  return value === undefined || value === null ? undefined : Buffer.from(value, 'base64').toString()
}

function originOf(letter: FoundLetter): string {
  const part = (name: string) => headerOf(letter, `herald-origin-${name}`) ?? '?'
  return placeOf(part('topic'), Number(part('partition')), part('offset'))
}
