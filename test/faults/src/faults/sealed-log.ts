import { generateKeyPairSync } from 'node:crypto'
import { type StartedService, startService } from '@herald/local-herald'
import { keyNameOf, readSigningKey, toVerifierKey } from '@herald/sealed-log'
import { createTopic } from '@herald/test-servers'
import { Kafka, logLevel } from 'kafkajs'
import { uuidOf } from '../oracle/announced-notification.ts'
import { plannedUuid } from '../oracle/derived-id.ts'
import { checkSealedLog, type SealedLogs } from '../oracle/sealed-log-check.ts'
import { type PartContext, strike } from '../part.ts'
import { until } from '../until.ts'

const sealers = 2
const origin = 'log.example.com/faults'
const eventsWhileFrozen = 500

let figures: Record<string, number> | undefined

/** Sealers are killed and frozen while entries are stored: each log is sealed as if there were one that nothing happens to. */
export async function sealThroughFaults(context: PartContext): Promise<void> {
  const { campaign, stack, times } = context
  const { fleet, plan, violations, stored } = campaign
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const read = readSigningKey(pem)
  if (!read.ok) throw new Error(read.detail)
  const { publicKey } = read.key
  const topic = `checkpoints-${campaign.name}`
  const kafka = new Kafka({ clientId: 'faults', brokers: stack.broker.direct.split(','), logLevel: logLevel.NOTHING })
  await createCheckpointTopic(kafka, topic)
  const settings = {
    ...fleet.settings,
    LOG_SIGNING_KEY: pem,
    LOG_ORIGIN: origin,
    SEAL_INTERVAL_SECONDS: '1',
    KAFKA_CHECKPOINT_TOPIC: topic,
  }
  const logs: SealedLogs = {
    database: stored.database,
    subscriberIds: Array.from({ length: plan.subscribers }, (_, index) => uuidOf(plannedUuid(1, index))),
    verifierOf: (subscriberId) => toVerifierKey(keyNameOf(origin, subscriberId), publicKey),
  }
  const checkpoints = () => stored.database.collection('log-checkpoints').countDocuments({ note: { $exists: true } })
  /** Until something was sealed that is not sealed yet. */
  const sealedMore = async () => {
    const before = await checkpoints()
    await campaign.load.produce(eventsWhileFrozen)
    await until('more checkpoints', async () => (await checkpoints()) > before)
  }
  const running: StartedService[] = []
  try {
    while (running.length < sealers) running.push(await startService('seal', settings))
    await sealedMore()
    for (let done = 0; done < times; done++) {
      const killed = await active(running)
      await strike(
        context,
        'sealer killed',
        () => killed.kill('SIGKILL'),
        async () => {
          await sealedMore()
          await killed.restart()
        },
      )
      const frozen = await active(running)
      await strike(context, 'sealer frozen until another has taken over', async () => {
        frozen.kill('SIGSTOP')
        await sealedMore()
        frozen.kill('SIGCONT')
      })
    }
    await campaign.drain()
    let faults: readonly string[] = []
    const isWhole = async () => {
      const found = await checkSealedLog(logs, await readTopic(kafka, topic))
      figures = found.figures
      faults = found.faults
      return faults.length === 0
    }
    // A fault that remains is a violation rather than a failure.
    await until('every entry to be sealed and published', isWhole, { withinMs: 120_000, everyMs: 1_000 }).catch(
      () => {},
    )
    for (const fault of faults) violations.add('sealed', fault)
    context.log(JSON.stringify(figures))
  } finally {
    for (const one of running) {
      one.kill('SIGCONT')
      await one.stop()
    }
  }
}

export const sealedLogNotes = () => ({ figures })

/** The one that seals now. */
async function active(running: readonly StartedService[]): Promise<StartedService> {
  let found: StartedService | undefined
  await until('a sealer to work', async () => {
    for (const one of running) {
      const metrics = await (await fetch(`${one.adminUrl}/metrics`)).text()
      if (/^herald_log_seal_lag_seconds /m.test(metrics)) found = one
    }
    return found !== undefined
  })
  return found as StartedService
}

async function createCheckpointTopic(kafka: Kafka, topic: string): Promise<void> {
  const admin = kafka.admin()
  await admin.connect()
  await createTopic(admin, { topic, numPartitions: 3 })
  await admin.disconnect()
}

/** Reads the present records of the topic, in the order of each partition. */
async function readTopic(kafka: Kafka, topic: string): Promise<{ key: string; note: string }[]> {
  const admin = kafka.admin()
  await admin.connect()
  const ends = new Map((await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => [partition, BigInt(high)]))
  await admin.disconnect()
  const records: { key: string; note: string }[] = []
  const open = new Set([...ends].filter(([, end]) => end > 0n).map(([partition]) => partition))
  if (open.size === 0) return records
  const consumer = kafka.consumer({ groupId: `faults-${topic}-${Date.now()}` })
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ partition, message }) => {
      records.push({ key: String(message.key), note: String(message.value) })
      if (BigInt(message.offset) + 1n >= (ends.get(partition) ?? 0n)) open.delete(partition)
    },
  })
  await until('the topic to be read', () => open.size === 0)
  await consumer.disconnect()
  return records
}
