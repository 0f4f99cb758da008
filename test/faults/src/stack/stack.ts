import { type Broker, startBroker } from './broker.ts'
import { type MongoSet, type MongoSetOptions, startMongoSet } from './mongo-set.ts'

export type Stack = {
  broker: Broker
  mongo: MongoSet
  stop(): Promise<void>
}

/** A broker and a replica set as programs of this machine, which faults can kill. */
export async function startStack(options: MongoSetOptions): Promise<Stack> {
  const [broker, mongo] = await Promise.allSettled([startBroker(options.log), startMongoSet(options)])
  if (broker.status === 'fulfilled' && mongo.status === 'fulfilled') {
    const stop = async () => void (await Promise.all([broker.value.stop(), mongo.value.stop()]))
    return { broker: broker.value, mongo: mongo.value, stop }
  }
  for (const started of [broker, mongo]) if (started.status === 'fulfilled') await started.value.stop()
  throw (broker.status === 'rejected' ? broker : (mongo as PromiseRejectedResult)).reason
}
