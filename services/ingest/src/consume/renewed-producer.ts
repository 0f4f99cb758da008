import type { KafkaPort, RecordProducer } from './kafka-port.ts'
import { within } from './time-limit.ts'

/** A producer that connects on first use, since the broker may be unavailable at startup, and is replaced after an error. */
export type RenewedProducer = {
  use<T>(timeoutMs: number, work: (producer: RecordProducer) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export function createRenewedProducer(kafka: Pick<KafkaPort, 'connectProducer'>): RenewedProducer {
  let connected: Promise<RecordProducer> | undefined

  // A client may not recover from a lost connection.
  const giveUp = (failed: Promise<RecordProducer>): void => {
    if (connected === failed) connected = undefined
    failed.then((producer) => producer.close()).catch(() => {})
  }

  return {
    async use(timeoutMs, work) {
      connected ??= kafka.connectProducer({ retries: 1 })
      const current = connected
      try {
        return await work(await within(timeoutMs, current))
      } catch (error) {
        giveUp(current)
        throw error
      }
    },
    async close() {
      const producer = await connected?.catch(() => undefined)
      await producer?.close()
    },
  }
}
