import { eventually } from '@herald/test-servers'
import type { Admin } from 'kafkajs'

/** Deletes a topic. The broker accepts records for a moment after its answer, and deletes them too: this waits longer. */
export async function deleteTopic(admin: Admin, topic: string): Promise<void> {
  await admin.deleteTopics({ topics: [topic] })
  await eventually(async () => !(await admin.listTopics()).includes(topic))
}
