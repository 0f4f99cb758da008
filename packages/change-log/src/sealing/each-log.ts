import { userReads, uuidIn } from '@herald/mongo'
import type { Binary, Collection } from 'mongodb'
import { type LogPageDocument, pagesFrom } from '../documents/log-page-document.ts'

const logsPerStep = 100

/** The subscribers with a log, in steps. One read for each: it skips the pages between two of them. */
export async function* eachLog(logPages: Collection<LogPageDocument>): AsyncGenerator<string[], void, void> {
  const options = { ...userReads, projection: { _id: 1 }, sort: { _id: 1 } } as const
  let step: string[] = []
  for (let after: Binary | undefined; ; ) {
    const found = await logPages.findOne(after === undefined ? {} : { _id: { $gt: after } }, options)
    if (found === null) break
    const subscriberId = uuidIn(found._id)
    step.push(subscriberId)
    after = pagesFrom(subscriberId, 0).$lte
    if (step.length < logsPerStep) continue
    yield step
    step = []
  }
  yield step
}
