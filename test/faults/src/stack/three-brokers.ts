import { type StartedProgram, startKafkaCluster } from '@herald/test-servers'
import type { OwnStack } from '../part.ts'
import { startMongoSet } from './mongo-set.ts'

let brokers: readonly StartedProgram[] = []

/** The brokers of the stack that was started last, each of which is a controller as well. */
export const clusterOfThree = () => brokers

const replicas = { factor: '3', inSync: '2' } as const

/** Starts three brokers whose topics have three replicas, of which two must have a record, and the usual replica set. */
export async function startOnThreeBrokers(): Promise<OwnStack> {
  const log = () => {}
  const settings = {
    'default.replication.factor': replicas.factor,
    'min.insync.replicas': replicas.inSync,
    'offsets.topic.replication.factor': replicas.factor,
    'transaction.state.log.replication.factor': replicas.factor,
    'transaction.state.log.min.isr': replicas.inSync,
    // Leaders return to their preferred brokers soon after these are back.
    'leader.imbalance.check.interval.seconds': '5',
  }
  const [kafka, mongo] = await Promise.all([startKafkaCluster(3, { log, settings }), startMongoSet({ log })])
  brokers = kafka.members
  const addresses = kafka.brokers.join(',')
  const broker = {
    direct: addresses,
    proxied: addresses,
    kill: (signal: NodeJS.Signals) => brokers[0]?.kill(signal),
    restart: async () => brokers[0]?.restart(),
    stop: kafka.stop,
  }
  const stop = async () => void (await Promise.all([broker.stop(), mongo.stop()]))
  return { kind: 'started', stack: { broker, mongo, stop } }
}
