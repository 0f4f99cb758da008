import { limits } from '@herald/contracts'
import type { Binary, Collection } from 'mongodb'
import { readKey } from '../json/bson.ts'
import type { Page } from '../json/byte-writer.ts'
import { uuidIn } from '../keys/keys.ts'
import type { ReadBudgets, Reader } from './read-budget.ts'
import { continueAfter, isPlain, type Keyed, responseBytes, type Scan, scanNext } from './scan.ts'

export type PageSource<T extends Keyed> = {
  readonly collection: Collection<T>
  readonly budgets: ReadBudgets
  readonly reader: Reader
  readonly maxDocumentBytes: number
}

/**
 * Returns a page of at most `limit` documents, newest first. A page ends early at {@link limits.pageBytes}, or after
 * examining the documents that one request may examine: it may then be short and still have a next one.
 */
export function findPage<T extends Keyed>(source: PageSource<T>, query: Scan<T>, limit: number): Promise<Page>
/** `undefined` if one of the documents, or the first of the next page, is such a one. */
export function findPage<T extends Keyed>(
  source: PageSource<T>,
  query: Scan<T>,
  limit: number,
  options: { readonly unless: IsSuch },
): Promise<Page | undefined>
export function findPage<T extends Keyed>(
  { collection, budgets, reader, maxDocumentBytes }: PageSource<T>,
  query: Scan<T>,
  limit: number,
  { unless }: { readonly unless?: IsSuch } = {},
): Promise<Page | undefined> {
  const find = () => findWithin(collection, query, limit, unless)
  if (!isPlain(query)) return budgets.scans.within(reader, 1, find)
  return budgets.bytes.within(reader, responseBytes(limit + 1, maxDocumentBytes), find)
}

type IsSuch = (document: Buffer) => boolean

async function findWithin<T extends Keyed>(
  collection: Collection<T>,
  query: Scan<T>,
  limit: number,
  unless: IsSuch | undefined,
): Promise<Page | undefined> {
  const found: Buffer[] = []
  let bytes = 0
  let scan = query
  for (let examined = limits.examinedPerStep; ; examined += limits.examinedPerStep) {
    const segment = await scanNext(collection, scan, {
      // One more than requested shows whether a page follows.
      count: limit + 1 - found.length,
      bytes: limits.pageBytes - bytes,
      atLeastOne: found.length === 0,
    })
    for (const document of segment.found) {
      if (unless?.(document)) return undefined
      found.push(document)
      bytes += document.length
    }
    if (found.length > limit) return { documents: found.slice(0, limit), next: idOf(found[limit - 1] as Buffer) }
    const last = found.at(-1)
    if (segment.isFull && last) return { documents: found, next: idOf(last) }
    if (segment.end === null) return { documents: found, next: null }
    if (examined >= limits.examinedPerRequest) return { documents: found, next: idIn(segment.end) }
    scan = continueAfter(scan, segment.end)
  }
}

const idIn = (key: Binary) => uuidIn(key, key.position / 16 - 1)
const idOf = (document: Buffer) => idIn(readKey(document))
