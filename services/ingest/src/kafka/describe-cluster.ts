import type { Kafka } from 'kafkajs'
import type { ClusterDescription } from '../consume/kafka-port.ts'

export async function describeCluster(kafka: Kafka): Promise<ClusterDescription> {
  const admin = kafka.admin({ retry: { retries: 1 } })
  try {
    await admin.connect()
    const { brokers, controller } = await admin.describeCluster()
    return {
      brokers: brokers.map(({ nodeId, host, port }) => ({ id: nodeId, address: `${host}:${port}` })),
      controller: controller ?? undefined,
    }
  } finally {
    await admin.disconnect()
  }
}
