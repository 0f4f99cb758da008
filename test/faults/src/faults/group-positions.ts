import type { PartContext } from '../part.ts'
import { until } from '../until.ts'

/** Stops all ingest processes, calls `change` to set the group's offsets, and starts them again. */
export async function whileGroupIsEmpty({ campaign }: PartContext, change: () => Promise<unknown>): Promise<void> {
  await campaign.fleet.end()
  await until('the offsets to be set', async () => {
    await change()
    return true
  })
  await campaign.fleet.startAgain()
}

/** Resets the group to the beginning of every topic. */
export async function rewind({ campaign }: PartContext): Promise<void> {
  const { offsets, groupId, originTopics } = campaign
  for (const topic of originTopics) {
    await offsets.run((admin) => admin.resetOffsets({ groupId, topic, earliest: true }))
  }
}

export async function setGroupOffsets({ campaign }: PartContext, offsetOf: (topic: string) => number): Promise<void> {
  const { offsets, groupId, originTopics, ledger } = campaign
  for (const topic of originTopics) {
    const partitions = [...ledger.partitions.values()]
      .filter((partition) => partition.topic === topic)
      .map(({ partition }) => ({ partition, offset: String(offsetOf(topic)) }))
    await offsets.run((admin) => admin.setOffsets({ groupId, topic, partitions }))
  }
}
