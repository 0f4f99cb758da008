import { randomUUID } from 'node:crypto'

const userId = randomUUID()

/** A subscriber for each topic, so that the entries of each can be read over HTTP. */
export function subscribers(topics: readonly string[]): (topic: string) => string {
  const ids = new Map(topics.map((topic) => [topic, randomUUID()]))
  return (topic) => {
    const id = ids.get(topic)
    if (id === undefined) throw new Error(`${topic} has no subscriber`)
    return id
  }
}

/** A list for each table, empty at first. */
export function byTable<T>(): (table: string) => T[] {
  const lists = new Map<string, T[]>()
  return (table) => {
    const list = lists.get(table) ?? []
    lists.set(table, list)
    return list
  }
}

/** A mapping of rows with `id` and `name`. */
export const mappingOf = (subscriberId: string, entityType: string, others: Record<string, unknown> = {}) => ({
  entityType,
  subscriberId: { constant: subscriberId },
  entityId: 'id',
  entityTitle: 'name',
  user: { id: { constant: userId } },
  ...others,
})
