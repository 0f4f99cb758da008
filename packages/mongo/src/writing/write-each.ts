import {
  type AnyBulkWriteOperation,
  type BulkWriteResult,
  type Collection,
  type Document,
  MongoBulkWriteError,
  MongoError,
  MongoInvalidArgumentError,
  MongoServerError,
} from 'mongodb'
import {
  duplicateKey,
  refusalOfCode,
  refusalOfDocument,
  StorageUnavailableError,
} from '../connection/storage-errors.ts'

/** The outcome of some writes. Permanent refusals are listed; everything else is durable on a majority. */
export type WriteOutcome<Item> = {
  readonly inserted: number
  readonly duplicates: number
  readonly matched: number
  /** Documents that are different or deleted. */
  readonly changed: number
  readonly refused: readonly { readonly document: Item; readonly reason: string }[]
}

type Counts = Pick<BulkWriteResult, 'insertedCount' | 'matchedCount' | 'modifiedCount' | 'deletedCount'>
type Reply = Partial<Counts> & { readonly writeErrors?: MongoBulkWriteError['writeErrors'] }

/** Updates and deletes documents, each independently of the others. Those of one document are applied in order. */
export async function writeEach<T extends Document, Operation extends AnyBulkWriteOperation<T>>(
  collection: Collection<T>,
  operations: readonly Operation[],
): Promise<WriteOutcome<Operation>> {
  if (operations.length === 0) return sum([])
  return attempt(operations, (some) => collection.bulkWrite(some, { ordered: false }))
}

/** Writes what MongoDB has no reason to refuse. Throws if it does. */
export async function writeAll<T extends Document>(
  collection: Collection<T>,
  operations: readonly AnyBulkWriteOperation<T>[],
): Promise<Pick<WriteOutcome<unknown>, 'matched' | 'changed'>> {
  const { refused, duplicates, ...counts } = await writeEach(collection, operations)
  if (duplicates > 0) throw new StorageUnavailableError('Another process inserted the same document')
  if (refused[0]) throw new Error(`MongoDB refused to change ${collection.collectionName}: ${refused[0].reason}`)
  return counts
}

/**
 * Every write that an event causes goes through here, because this decides what an error means. A permanent refusal of one
 * item is its outcome. Anything else throws, and the event is tried again.
 *
 * @throws StorageUnavailableError if the outcome is unknown; retrying is safe
 */
export async function attempt<Item extends Document>(
  items: readonly Item[],
  write: (items: readonly Item[]) => Promise<Reply>,
): Promise<WriteOutcome<Item>> {
  try {
    return account(await write(items), items)
  } catch (error) {
    if (namesItems(error)) return account(error, items)
    if (!mayBeOfOneItem(error)) throw asUnavailable(error)
    // One item may fail all of them without being named: bisect until it is found, so that only it is refused.
    const [only] = items
    if (items.length === 1 && only) {
      const reason = refusalOf(error, only)
      if (reason === undefined) throw asUnavailable(error)
      return { ...sum([]), refused: [{ document: only, reason }] }
    }
    const middle = Math.ceil(items.length / 2)
    return sum([await attempt(items.slice(0, middle), write), await attempt(items.slice(middle), write)])
  }
}

export function sum<Item>(outcomes: readonly WriteOutcome<Item>[]): WriteOutcome<Item> {
  const total = (count: 'inserted' | 'duplicates' | 'matched' | 'changed') =>
    outcomes.reduce((sofar, outcome) => sofar + outcome[count], 0)
  return {
    inserted: total('inserted'),
    duplicates: total('duplicates'),
    matched: total('matched'),
    changed: total('changed'),
    refused: outcomes.flatMap(({ refused }) => refused),
  }
}

/** The outcome of each item according to the errors in a reply. Those that are not in it were written. */
function account<Item>(reply: Reply, items: readonly Item[]): WriteOutcome<Item> {
  const { insertedCount = 0, matchedCount = 0, modifiedCount = 0, deletedCount = 0, writeErrors = [] } = reply
  const failures = [writeErrors].flat()
  const failed = failures.filter(({ code }) => code !== duplicateKey)
  const refused = failed.map((failure) => {
    const reason = refusalOfCode(failure.code)
    if (reason === undefined) throw asUnavailable(failure)
    return { document: items[failure.index] as Item, reason: `${reason}: ${failure.errmsg ?? ''}` }
  })
  return {
    inserted: insertedCount,
    duplicates: failures.length - failed.length,
    matched: matchedCount,
    changed: modifiedCount + deletedCount,
    refused,
  }
}

/**
 * Whether a bulk error says which items failed. An empty list of write errors says nothing about them: a document nested too
 * deeply and a write-concern timeout both look like this, with nothing stored.
 */
function namesItems(error: unknown): error is MongoBulkWriteError {
  if (!(error instanceof MongoBulkWriteError)) return false
  if (error.result.getWriteConcernError()) throw asUnavailable(error)
  return [error.writeErrors].flat().length > 0
}

/** The server refused the content of an item, or the client failed before it sent anything. */
function mayBeOfOneItem(error: unknown): boolean {
  if (error instanceof StorageUnavailableError) return false
  if (error instanceof MongoServerError) return refusalOfCode(error.code) !== undefined
  return !(error instanceof MongoError) || error instanceof MongoInvalidArgumentError
}

/** A client error counts as a refusal only if the item reproduces it; otherwise it may be a bug in the driver. */
function refusalOf(error: unknown, item: Document): string | undefined {
  return error instanceof MongoServerError ? refusalOfCode(error.code) : refusalOfDocument(item)
}

function asUnavailable(cause: unknown): StorageUnavailableError {
  if (cause instanceof StorageUnavailableError) return cause
  return new StorageUnavailableError('MongoDB did not confirm the write', { cause })
}
