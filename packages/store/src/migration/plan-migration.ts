import type { Db } from 'mongodb'
import { type IndexPlan, planCollections, retentionIndex } from '../collections.ts'
import { readLimits } from '../reading/read-limits.ts'

/** A step of `migrate`; `isBlocked` if it would fail there. */
export type MigrationStep = { readonly step: string; readonly isBlocked: boolean }

type PresentIndex = { readonly name?: string; readonly expireAfterSeconds?: number }

/** Returns the steps that `migrate` would take, in its order, and changes nothing. Empty if it has nothing to do. */
export async function planMigration(database: Db, retentionDays: number | undefined): Promise<MigrationStep[]> {
  const found = await database.listCollections({}, readLimits).toArray()
  const steps: MigrationStep[] = []
  const add = (step: string, isBlocked = false): void => void steps.push({ step, isBlocked })
  for (const { name, options, indexes } of planCollections(retentionDays)) {
    const collection = found.find((candidate) => candidate.name === name)
    const isClustered =
      collection !== undefined && 'options' in collection && collection.options?.clusteredIndex !== undefined
    const isRecreated = collection !== undefined && options.clusteredIndex !== undefined && !isClustered
    if (collection === undefined) add(`Create the collection ${name}`)
    if (isRecreated) {
      const hasDocuments =
        (await database.collection(name).findOne({}, { ...readLimits, projection: { _id: 1 } })) !== null
      if (hasDocuments) add(`Fail: the collection ${name} is not clustered and contains documents`, true)
      else add(`Recreate the empty collection ${name}, which is not clustered`)
    }
    const present: PresentIndex[] =
      collection === undefined || isRecreated ? [] : await database.collection(name).listIndexes(readLimits).toArray()
    for (const step of indexSteps(name, indexes, present)) add(step)
  }
  return steps
}

function indexSteps(collection: string, planned: readonly IndexPlan[], present: readonly PresentIndex[]): string[] {
  const steps = planned.flatMap(({ name, expireAfterSeconds }) => {
    const existing = present.find((candidate) => candidate.name === name)
    if (existing === undefined) return [`Create the index ${name} of ${collection}${expiryOf(expireAfterSeconds)}`]
    if (existing.expireAfterSeconds === expireAfterSeconds) return []
    return [`Change the index ${name} of ${collection}${expiryOf(expireAfterSeconds)}`]
  })
  const isDropped =
    present.some(({ name }) => name === retentionIndex) && !planned.some(({ name }) => name === retentionIndex)
  return isDropped
    ? [...steps, `Drop the index ${retentionIndex} of ${collection}: its documents no longer expire`]
    : steps
}

const expiryOf = (seconds: number | undefined) =>
  seconds === undefined ? '' : ` (documents expire after ${seconds} s)`
