import type { Logger } from '@herald/runtime'
import type { KafkaPort } from '../consume/kafka-port.ts'
import { createClient } from './client.ts'
import { describeCluster } from './describe-cluster.ts'
import { describeTopics } from './describe-topics.ts'
import { createGroupMember } from './group-member.ts'
import type { KafkaOptions } from './kafka-options.ts'
import { offsetsSince } from './offsets-since.ts'
import { createPositionReader } from './position-reader.ts'
import { connectProducer } from './producer.ts'
import { readToEnd } from './read-to-end.ts'

/** Implements the Kafka port with kafkajs. Nothing connects yet. */
export function createKafka(options: KafkaOptions, logger: Logger): KafkaPort {
  const client = createClient(options, logger)
  return {
    createMember: (member) => createGroupMember(client, member),
    connectProducer: (producer) => connectProducer(client, producer),
    describeTopics: (topics) => describeTopics(client, topics),
    createPositionReader: (groupId, topics) => createPositionReader(client, groupId, topics),
    describeCluster: () => describeCluster(client),
    readToEnd: (topic, each, start) => readToEnd(client, topic, each, start),
    offsetsSince: (topic, since) => offsetsSince(client, topic, since),
  }
}
