import type { AnyMessage } from '../read-message.ts'

type Sent = { readonly topic: string; readonly messages: readonly Omit<AnyMessage, 'topic'>[] }

export type RecordingProducer = ReturnType<typeof createRecordingProducer>

/** Creates a producer with the interface of kafkajs that records what it sends. Needs no broker. */
export function createRecordingProducer() {
  const records: (AnyMessage & { readonly topic: string })[] = []
  const keep = ({ topic, messages }: Sent) => {
    for (const message of messages) records.push({ ...message, topic })
    return messages.map(() => ({ topicName: topic, partition: 0, errorCode: 0 }))
  }
  return {
    records: records as readonly (AnyMessage & { readonly topic: string })[],
    async connect() {},
    async disconnect() {},
    send: async (sent: Sent) => keep(sent),
    sendBatch: async ({ topicMessages = [] }: { readonly topicMessages?: readonly Sent[] }) =>
      topicMessages.flatMap(keep),
  }
}
