import type { Collection, Document } from 'mongodb'
import { runCommand } from '../connection/run-command.ts'
import { type FindCommand, type FindFew, findFew } from './find-few.ts'
import { readLimits } from './read-limits.ts'

type Asked = {
  readonly collection: Collection
  readonly command: FindCommand
  readonly answer: PromiseWithResolvers<readonly Document[]>
}

/**
 * Reads by one command what `look` asks for before it waits for anything, from collections of one database; what it asks for later,
 * each by its own. Hints are left out, because `$unionWith` takes none.
 */
export function findTogether<T>(look: (find: FindFew) => Promise<T>): Promise<T> {
  const asked: Asked[] = []
  let isSent = false
  const find = (collection: Collection, command: FindCommand) => {
    if (isSent) return findFew(collection, command)
    const answer = Promise.withResolvers<readonly Document[]>()
    asked.push({ collection, command, answer })
    return answer.promise
  }
  const found = look(find as unknown as FindFew)
  isSent = true
  send(asked).catch((error) => {
    for (const { answer } of asked) answer.reject(error)
  })
  return found
}

async function send(asked: readonly Asked[]): Promise<void> {
  const [first, ...others] = asked
  if (first === undefined) return
  if (others.length === 0) return first.answer.resolve(await findFew(first.collection, first.command))
  const { db, collectionName } = first.collection
  const unions = others.map(({ collection, command }, index) => ({
    $unionWith: { coll: collection.collectionName, pipeline: stagesOf(command, index + 1) },
  }))
  const batchSize = asked.reduce((sum, { command }) => sum + command.limit, 1)
  const pipeline = [...stagesOf(first.command, 0), ...unions]
  const { cursor } = await runCommand(db, { aggregate: collectionName, pipeline, cursor: { batchSize }, ...readLimits })
  const byPart = Map.groupBy(cursor.firstBatch as readonly Document[], ({ part }) => part)
  for (const [part, { answer }] of asked.entries()) answer.resolve(byPart.get(part) ?? [])
}

const stagesOf = ({ filter = {}, limit, projection }: FindCommand, part: number) => [
  { $match: filter },
  { $limit: limit },
  { $project: { ...projection, part: { $literal: part } } },
]
