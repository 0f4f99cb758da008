import { createLogger } from '@herald/runtime'
import { createStore } from '@herald/store'
import { createKafka } from '../kafka/create-kafka.ts'
import { toKafkaOptions } from '../kafka/kafka-options.ts'
import type { CommandContext } from './command.ts'

export type Connections = Pick<CommandContext, 'openKafka' | 'openStore' | 'release'> & { close(): Promise<void> }

/** Opens what commands ask for, and closes all of it in reverse order. */
export function createConnections(): Connections {
  const open: (() => Promise<void>)[] = []
  return {
    openStore(options) {
      const store = createStore({ ...options, applicationName: 'herald' })
      open.push(() => store.close())
      return store
    },
    openKafka: (settings) => createKafka(toKafkaOptions(settings), createLogger({ name: 'herald', level: 'silent' })),
    release: (close) => void open.push(close),
    async close() {
      for (const close of open.toReversed()) await close().catch(() => {})
    },
  }
}
