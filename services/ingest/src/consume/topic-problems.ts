import { limits } from '@herald/contracts'
import type { Admin, Kafka } from 'kafkajs'
import { readTopicSizes, sizeSetting } from './topic-size.ts'

/**
 * Returns a message for each missing topic, or for a dead-letter topic that would reject the largest record of an origin.
 * Empty if all topics are fine.
 */
export async function findTopicFaults(
  kafka: Kafka,
  origins: readonly string[],
  deadLetters: string,
): Promise<string[]> {
  const admin = kafka.admin({ retry: { retries: 1 } })
  try {
    await admin.connect()
    const found = new Set(await admin.listTopics())
    const missing = [...origins, deadLetters].filter((topic) => !found.has(topic))
    if (missing.length > 0) return missing.map((topic) => `The topic ${topic} does not exist`)
    return await findSizeFaults(admin, origins, deadLetters)
  } finally {
    await admin.disconnect()
  }
}

async function findSizeFaults(admin: Admin, origins: readonly string[], deadLetters: string): Promise<string[]> {
  const sizes = await readTopicSizes(admin, [...origins, deadLetters])
  const needed = Math.max(...origins.map((topic) => sizes.get(topic) ?? 0)) + limits.deadLetterExtraBytes
  const given = sizes.get(deadLetters) ?? 0
  if (given >= needed) return []
  return [
    `The topic ${deadLetters} accepts ${given} bytes (${sizeSetting}), the largest dead letter requires ${needed}`,
  ]
}
