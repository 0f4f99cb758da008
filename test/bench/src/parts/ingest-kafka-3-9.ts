import { startKafkaProgram } from '@herald/test-servers'
import { serverProcesses } from '../cpu-time.ts'
import { startIngest, startIngestCeiling } from '../ingest/contestant.ts'
import { createFullTopic, drainFigure, drainOnce, showDrain } from '../ingest/drain.ts'
import { changeEvent } from '../ingest/events.ts'
import { fillTopic } from '../ingest/fill-topic.ts'
import { alternate, type Part } from '../part.ts'

const version = '3.9.1'

/** The ceiling without indexes once more, on a broker of the previous major version. */
export const ingestKafka39: Part = {
  name: 'ingest-kafka-3.9',
  about: `change events from Kafka ${version} to MongoDB`,
  rounds: 3,
  async run(context) {
    const kafka = await startKafkaProgram({ version, log: context.log })
    try {
      const servers = { ...context.servers, kafkaBrokers: kafka.brokers }
      const processes = await serverProcesses(servers)
      const documents = context.smoke ? 10_000 : 200_000
      const changes = await createFullTopic(kafka.brokers, 'change', documents, (topic) =>
        fillTopic(kafka.brokers, topic, documents, changeEvent),
      )
      const drain = (start: typeof startIngest) => () =>
        drainOnce({ ...context, servers, serverProcesses: processes }, changes, start)
      const { herald, bare } = await alternate(
        context,
        { herald: drain(startIngest), bare: drain(startIngestCeiling({ indexes: false })) },
        showDrain,
      )
      return [
        {
          what: `change events stored, Kafka ${version}`,
          unit: 'documents/s',
          ...drainFigure(herald),
          beside: { name: 'kafkajs and insertMany without indexes', ...drainFigure(bare) },
          goal: { atLeast: 0.65 },
        },
      ]
    } finally {
      await kafka.stop()
    }
  },
}
