import { startKafkaProgram } from '@herald/test-servers'
import { serverProcesses } from '../cpu-time.ts'
import { startIngest, startIngestCeiling } from '../ingest/contestant.ts'
import { alternateDrains, createFullTopic, drainFigure } from '../ingest/drain.ts'
import { changeEvent } from '../ingest/events.ts'
import { fillTopic } from '../ingest/fill-topic.ts'
import type { Part } from '../part.ts'

const version = '3.9.1'

/** The ceiling without indexes once more, on a broker of the previous major version. */
export const ingestKafka39: Part = {
  name: 'ingest-kafka-3.9',
  about: `change events from Kafka ${version} to MongoDB`,
  rounds: 5,
  async run(context) {
    const kafka = await startKafkaProgram({ version, log: context.log })
    try {
      const servers = { ...context.servers, kafkaBrokers: kafka.brokers }
      const documents = context.smoke ? 10_000 : 640_000
      const topic = await createFullTopic(kafka.brokers, 'change', documents, (name) =>
        fillTopic(kafka.brokers, name, documents, changeEvent),
      )
      const { herald, bare } = await alternateDrains(
        { ...context, servers, serverProcesses: await serverProcesses(servers) },
        { herald: { topic, start: startIngest }, bare: { topic, start: startIngestCeiling({ indexes: false }) } },
      )
      return [
        {
          what: `change events stored, Kafka ${version}`,
          unit: 'documents/s',
          ...drainFigure(herald),
          beside: { name: 'kafkajs and insertMany without indexes', ...drainFigure(bare) },
          goal: { atLeast: 0.6 },
        },
      ]
    } finally {
      await kafka.stop()
    }
  },
}
