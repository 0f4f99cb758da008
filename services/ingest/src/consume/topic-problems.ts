import { limits } from '@herald/contracts'
import type { KafkaPort, TopicDescription } from '@herald/kafka'

type Topics = Pick<KafkaPort, 'describeTopics'>

/**
 * Returns a message for each missing topic, or for a dead-letter topic that would reject the largest record of an origin.
 * The `others` only have to exist. Empty if all topics are fine.
 */
export async function findTopicProblems(
  kafka: Topics,
  origins: readonly string[],
  deadLetters: string,
  others: readonly string[] = [],
): Promise<string[]> {
  const topics = [...origins, deadLetters, ...others]
  const found = await kafka.describeTopics(topics)
  const missing = missingIn(found, topics)
  return missing.length > 0 ? missing : sizeProblems(found, origins, deadLetters)
}

export async function findMissingTopics(kafka: Topics, topics: readonly string[]): Promise<string[]> {
  return missingIn(await kafka.describeTopics(topics), topics)
}

type Found = ReadonlyMap<string, TopicDescription>

const missingIn = (found: Found, topics: readonly string[]) =>
  topics.filter((topic) => !found.has(topic)).map((topic) => `The topic ${topic} does not exist`)

function sizeProblems(found: Found, origins: readonly string[], deadLetters: string): string[] {
  const sizeOf = (topic: string) => found.get(topic)?.maxBatchBytes ?? 0
  const needed = Math.max(...origins.map(sizeOf)) + limits.deadLetterExtraBytes
  const given = sizeOf(deadLetters)
  if (given >= needed) return []
  return [
    `The topic ${deadLetters} accepts ${given} bytes (max.message.bytes), the largest dead letter requires ${needed}`,
  ]
}
