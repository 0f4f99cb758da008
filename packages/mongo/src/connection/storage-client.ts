import { createLastingClient } from './lasting-client.ts'

type Options = {
  /** Appears in MongoDB's log and in `currentOp`. */
  readonly applicationName: string
  readonly socketTimeoutMS?: number
}

/**
 * Does not connect: the driver connects with the first operation and reconnects after outages. Writes are acknowledged
 * by a majority. Reads go to the primary, so that every client reads its own writes. The timeouts keep each operation
 * shorter than the time Kafka allows a consumer.
 */
export const createStorageClient = (uri: string, { applicationName, socketTimeoutMS = 8_000 }: Options) =>
  createLastingClient(uri, {
    appName: applicationName,
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: 5_000 },
    retryWrites: true,
    retryReads: true,
    readPreference: 'primary',
    serverSelectionTimeoutMS: 2_000,
    connectTimeoutMS: 2_000,
    socketTimeoutMS,
    waitQueueTimeoutMS: 8_000,
    ignoreUndefined: true,
  })
