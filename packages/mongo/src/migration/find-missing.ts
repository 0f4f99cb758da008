import type { CollectionInfo, Db } from 'mongodb'
import { type CollectionPlan, type IndexPlan, retentionIndex } from './collection-plan.ts'

/** The differences between the database and the collections that `migrate` creates, as text. */
export type Differences = {
  /** Collections and indexes that are missing or different: the store cannot work without them. */
  readonly missing: readonly string[]
  /** Collections whose documents expire after a different time than configured, as during a rollout that changes it. */
  readonly retention: readonly string[]
  /** The missing ones at which `migrate` would fail. */
  readonly blocking: readonly string[]
}

type FoundIndex = { readonly name?: string; readonly expireAfterSeconds?: number }

const timeLimit = { maxTimeMS: 5_000 } as const

export async function findDifferences(database: Db, plans: readonly CollectionPlan[]): Promise<Differences> {
  const found = await database.listCollections({}, timeLimit).toArray()
  const differences = { missing: [] as string[], retention: [] as string[], blocking: [] as string[] }
  // One after the other: at once they would open a connection each, which takes longer and more memory.
  for (const plan of plans) await compareCollection(database, plan, found, differences)
  return differences
}

async function compareCollection(
  database: Db,
  { name, options, indexes }: CollectionPlan,
  found: readonly (CollectionInfo | Pick<CollectionInfo, 'name' | 'type'>)[],
  { missing, retention, blocking }: Record<keyof Differences, string[]>,
): Promise<void> {
  const collection = found.find((candidate) => candidate.name === name)
  if (!collection) return void missing.push(`collection ${name} is missing`)
  const isClustered = 'options' in collection && collection.options?.clusteredIndex !== undefined
  if (options.clusteredIndex && !isClustered) {
    const isEmpty = (await database.collection(name).findOne({}, { ...timeLimit, projection: { _id: 1 } })) === null
    const detail = `collection ${name} is not clustered${isEmpty ? '' : ' and contains documents, which stops migrate'}`
    missing.push(detail)
    if (!isEmpty) blocking.push(detail)
    return
  }
  const present = await database.collection(name).listIndexes(timeLimit).toArray()
  for (const index of indexes) {
    if (index.name === retentionIndex || present.some((candidate) => isSame(index, candidate))) continue
    missing.push(`index ${index.name} of ${name} is missing or different`)
  }
  retention.push(...compareRetention(name, indexes, present))
}

function isSame(index: IndexPlan, candidate: FoundIndex): boolean {
  return candidate.name === index.name && candidate.expireAfterSeconds === index.expireAfterSeconds
}

function compareRetention(collection: string, planned: readonly IndexPlan[], present: readonly FoundIndex[]): string[] {
  const secondsIn = (indexes: readonly FoundIndex[]) =>
    indexes.find(({ name }) => name === retentionIndex)?.expireAfterSeconds
  const [expected, actual] = [secondsIn(planned), secondsIn(present)]
  const toText = (seconds: number | undefined) => (seconds === undefined ? 'never' : `after ${seconds} s`)
  return expected === actual ? [] : [`documents of ${collection} expire ${toText(actual)}, not ${toText(expected)}`]
}
