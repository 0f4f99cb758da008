import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { startService } from '@herald/local-herald'
import { createTopics, topicsWithSuffix } from '@herald/test-servers'
import { createTokenIssuer } from '@herald/token-issuer'
import { alternate } from '../alternate.ts'
import { migrate } from '../migrate.ts'
import type { Part } from '../part.ts'
import { processUsage } from '../process-usage.ts'
import { serviceSettings } from '../settings.ts'
import { startTime } from '../start-time.ts'

const restMs = 5_000
const mebi = 2 ** 20

/** The time until a service is ready, and its memory when idle. */
export const start: Part = {
  name: 'start',
  about: 'from the start of a process to ready, and its memory at rest',
  rounds: 5,
  async run(context) {
    const { servers, client, smoke } = context
    const database = `bench-${randomUUID()}`
    const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(database))
    const tokens = await createTokenIssuer()
    const settings = () => serviceSettings({ ...servers, database, topics, tokens, groupId: randomUUID() })

    async function measure(name: 'ingest' | 'query') {
      const seconds = await startTime(name, settings())
      const idle = await startService(name, settings())
      await pause(smoke ? 100 : restMs)
      const { memoryBytes } = await processUsage(idle.pid)
      await idle.stop()
      return { seconds, memory: memoryBytes / mebi }
    }

    try {
      await migrate(settings())
      const measured = await alternate(
        context,
        { ingest: () => measure('ingest'), query: () => measure('query') },
        ({ seconds, memory }) => `${seconds.toFixed(3)} s, ${memory.toFixed(1)} MiB`,
      )
      return (['ingest', 'query'] as const).flatMap((name) => [
        {
          what: `${name}: start to ready`,
          unit: 's',
          measured: measured[name].map(({ seconds }) => seconds),
          goal: { atMost: 0.6 },
        },
        {
          what: `${name}: memory at rest`,
          unit: 'MiB',
          measured: measured[name].map(({ memory }) => memory),
          goal: { atMost: 120 },
        },
      ])
    } finally {
      await client.db(database).dropDatabase()
    }
  },
}
