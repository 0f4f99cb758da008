import type { Collection, Db, Document } from 'mongodb'
import { batchesOf } from '../measure.ts'
import type { Layout } from './layouts.ts'
import { createNotifications } from './operations.ts'
import { addressOf, type Population } from './population.ts'

/** The plans of the product's queries by explain(), as rows: layout, query, stages from last to first, keys, documents. */
export async function explainPlans(db: Db, layout: Layout, population: Population): Promise<string[]> {
  const collection = await createNotifications(db, layout)
  const documents = population.deep().map(layout.toDocument)
  for (const batch of batchesOf(documents, 1_000)) await collection.insertMany(batch)
  await readHalf(collection, layout, population)
  const feed = layout.feed(addressOf(7, 0))
  const { states } = layout
  const unread = { ...states.unread, ...feed }
  const older = layout.feed(population.deepAddress(7, 500), true)
  const three = { _id: { $in: [3, 503, 903].map((n) => layout.byKey(population.deepAddress(7, n))._id) } }
  const one = layout.byKey(population.deepAddress(7, 3))
  const find = (filter: Document) =>
    collection
      .find({ ...states.listed, ...filter })
      .sort(layout.newestFirst)
      .limit(21)
  const count = [{ $match: unread }, { $group: { _id: 1, n: { $sum: 1 } } }]
  const update = states.toRead
  const command = (name: string, rest: Document) =>
    db.command({ explain: { [name]: 'notifications', ...rest }, verbosity: 'executionStats' })
  const explain = (filter: Document) => find(filter).explain('executionStats')
  const steps: [string, () => Promise<Document>][] = [
    ['page', () => explain(feed)],
    ['page after a cursor', () => explain(older)],
    ['page of unread', () => explain(unread)],
    ['page of read', () => explain({ ...feed, ...states.read })],
    ['count of unread', () => collection.aggregate(count).explain('executionStats')],
    ['one by key', () => explain(one)],
    ['mark by key', () => command('findAndModify', { query: one, update })],
    ['mark by key if unread', () => command('findAndModify', { query: { ...one, ...states.unread }, update })],
    ['three by $in', () => explain(three)],
    ['three by $in if unread', () => explain({ ...states.unread, ...three })],
    ['walk of at most 10,000', () => collection.aggregate(boundedWalk(layout, feed, 10_000)).explain('executionStats')],
    ['walk of at most 200', () => collection.aggregate(boundedWalk(layout, feed, 200)).explain('executionStats')],
  ]
  const lines: string[] = []
  for (const [name, plan] of steps) lines.push(`| ${layout.name} | ${name} | ${describe(await plan())} |`)
  return lines
}

/** A filter without an index, applied to at most the newest `bound` notifications of a feed. */
function boundedWalk(layout: Layout, feed: Document, bound: number): Document[] {
  return [
    { $match: feed },
    { $sort: layout.newestFirst },
    { $limit: bound },
    { $match: { type: 'mention' } },
    { $limit: 21 },
  ]
}

async function readHalf(collection: Collection<Document>, layout: Layout, population: Population) {
  const keys = Array.from({ length: 490 }, (_, i) => layout.byKey(population.deepAddress(7, 2 * i)))
  await collection.bulkWrite(keys.map((filter) => ({ updateOne: { filter, update: layout.states.toRead } })))
}

function describe(plan: Document): string {
  const source: Document = plan.stages?.[0]?.$cursor ?? plan
  const names: string[] = []
  const walk = (stage: Document | undefined) => {
    if (!stage) return
    names.push(stage.indexName ? `${stage.stage}(${stage.indexName})` : `${stage.stage}`)
    for (const input of [stage.inputStage, stage.queryPlan, ...(stage.inputStages ?? [])]) walk(input)
  }
  walk(source.queryPlanner.winningPlan)
  const work = source.executionStats
  return `${names.join(' < ')} | ${work.totalKeysExamined} | ${work.totalDocsExamined}`
}
