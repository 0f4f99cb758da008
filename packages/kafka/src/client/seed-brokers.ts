export type Seeds = {
  /** Returns the address to try next, in a list because kafkajs expects one. */
  next(): string[]
  /** Makes the next client start with the address that this one tried last. */
  keep(): void
}

/**
 * Creates the seeds of clients one after another, each of which starts with the address after the last one tried. Without
 * that, every new client would start with the same broker, however often that one has failed.
 */
export function createSeeds(addresses: readonly string[]): () => Seeds {
  let next = 0
  return () => {
    let tried = 0
    return {
      next() {
        tried = next
        next = (tried + 1) % addresses.length
        return addresses.slice(tried, tried + 1)
      },
      keep() {
        next = tried
      },
    }
  }
}

type Broker = { connect(): Promise<void>; readonly versions: unknown }
type BrokerPool = {
  seedBroker?: Broker
  versions: unknown
  readonly logger: { error(message: string, fields: object): void }
  hasConnectedBrokers(): boolean
  createSeedBroker(): Promise<void>
  retrier(work: (bail: (error: unknown) => void, retryCount: number, retryTime: number) => Promise<void>): Promise<void>
}

/**
 * kafkajs's own, except that it tries another seed after every error. The original stays with a broker that accepts a
 * connection and closes it or does not respond, and takes the latter for connected.
 */
export async function connectToSeed(this: BrokerPool): Promise<void> {
  if (this.hasConnectedBrokers()) return
  if (!this.seedBroker) await this.createSeedBroker()
  await this.retrier(async (bail, retryCount, retryTime) => {
    const seed = this.seedBroker as Broker
    try {
      await seed.connect()
      this.versions = seed.versions
    } catch (error) {
      await this.createSeedBroker()
      const { message, retriable } = error as { readonly message: string; readonly retriable?: boolean }
      this.logger.error(`Failed to connect to seed broker, trying another broker from the list: ${message}`, {
        retryCount,
        retryTime,
      })
      if (retriable) throw error
      bail(error)
    }
  })
}
