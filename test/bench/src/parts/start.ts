import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { startService } from '@herald/local-herald'
import { createTopics, topicsWithSuffix } from '@herald/test-servers'
import { createTokenIssuer } from '@herald/token-issuer'
import { migrate } from '../migrate.ts'
import type { Part } from '../part.ts'
import { processUsage } from '../process-usage.ts'
import { serviceSettings } from '../settings.ts'

const restMs = 5_000
const mebi = 2 ** 20

/** The time until a service is ready, and its memory when idle. */
export const start: Part = {
  name: 'start',
  about: 'from the start of a process to ready, and its memory at rest',
  rounds: 5,
  async run({ servers, client, rounds, smoke, log }) {
    const database = `bench-${randomUUID()}`
    const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(database))
    const tokens = await createTokenIssuer()
    const seconds = { ingest: [] as number[], query: [] as number[] }
    const memory = { ingest: [] as number[], query: [] as number[] }
    try {
      for (let round = 0; round < rounds; round++) {
        for (const name of ['ingest', 'query'] as const) {
          const settings = serviceSettings({
            ...{ mongodbUri: servers.mongodbUri, kafkaBrokers: servers.kafkaBrokers },
            ...{ database, topics, tokens, groupId: randomUUID() },
          })
          if (round === 0) await migrate(settings)
          const begun = performance.now()
          const service = await startService(name, settings)
          seconds[name].push((performance.now() - begun) / 1_000)
          await pause(smoke ? 100 : restMs)
          memory[name].push((await processUsage(service.pid)).memoryBytes / mebi)
          await service.stop()
          log(
            `round ${round + 1}, ${name}: ${seconds[name].at(-1)?.toFixed(2)} s, ${memory[name].at(-1)?.toFixed(0)} MiB`,
          )
        }
      }
    } finally {
      await client.db(database).dropDatabase()
    }
    return (['ingest', 'query'] as const).flatMap((name) => [
      { what: `${name}: start to ready`, unit: 's', measured: seconds[name], goal: { atMost: 0.6 } },
      { what: `${name}: memory at rest`, unit: 'MiB', measured: memory[name], goal: { atMost: 120 } },
    ])
  },
}
