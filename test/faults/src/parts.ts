import { endIngest, killIngest, stopIngest } from './faults/ingest-faults.ts'
import { cutNetwork, delayNetwork } from './faults/network-faults.ts'
import { killBroker, killPrimary, stepPrimaryDown, stopAllMongods, stopPrimary } from './faults/server-faults.ts'
import type { Part } from './part.ts'

/** Every kind of fault, in the order in which they strike, with its times in the short and the full run. */
export const parts: readonly Part[] = [
  { name: 'ingest-kill', short: 3, full: 20, run: killIngest },
  { name: 'ingest-end', short: 2, full: 10, run: endIngest },
  { name: 'ingest-stop', short: 1, full: 5, run: stopIngest },
  { name: 'broker-kill', short: 1, full: 10, run: killBroker },
  { name: 'primary-kill', short: 1, full: 10, run: killPrimary },
  { name: 'primary-stepdown', short: 2, full: 10, run: stepPrimaryDown },
  { name: 'primary-stop', short: 1, full: 2, run: stopPrimary },
  { name: 'mongods-down', short: 1, full: 2, run: stopAllMongods },
  { name: 'mongo-cut', short: 1, full: 3, run: cutNetwork('MongoDB') },
  { name: 'mongo-delay', short: 1, full: 3, run: delayNetwork('MongoDB') },
  { name: 'kafka-cut', short: 1, full: 3, run: cutNetwork('Kafka') },
  { name: 'kafka-delay', short: 1, full: 3, run: delayNetwork('Kafka') },
]
