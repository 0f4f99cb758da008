import { createSealedLogReader, newestSealedEntry } from './read-sealed-log.ts'
import { createStoredEntries } from './stored-entries.ts'
import { type Verified, verifyLog } from './verify-log.ts'

/** An entry that names another person than the one who made the change. */
type Altered = { readonly entryId: string; readonly name: string; readonly forgedName: string }

export type TamperingOptions = {
  readonly mongodbUri: string
  readonly database: string
  readonly subscriberId: string
  /** Names of people to put in place of others. */
  readonly names: readonly string[]
  readonly queryUrl: string
  /** A token that may read the change log. */
  readonly token: () => Promise<string>
  readonly node: string
}

export type Tampering = ReturnType<typeof createTampering>

/** Alters one entry of the change log in MongoDB, puts it back, and runs `verify.js` after each. */
export function createTampering(options: TamperingOptions) {
  const { subscriberId, names, queryUrl, token, node } = options
  const stored = createStoredEntries(options)
  const { isSealed, read } = createSealedLogReader(queryUrl, token)
  let altered: Altered | undefined
  let turn: Promise<unknown> = Promise.resolve()

  async function verify(): Promise<Verified> {
    const log = await read()
    if (log === undefined) throw new Error('There is no checkpoint any more')
    return verifyLog(log, node)
  }

  /** One at a time, so that two windows do not alter the same entry. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work)
    turn = result.catch(() => {})
    return result
  }

  async function putBack(): Promise<void> {
    if (altered === undefined) return
    const { entryId, name, forgedName } = altered
    await stored.rename(subscriberId, entryId, forgedName, name)
    altered = undefined
  }

  return {
    altered: () => altered,
    /** Whether there is a checkpoint, without which nothing shows. */
    isSealed,
    /** Alters the newest sealed entry, unless one is altered. Returns `undefined` if nothing is sealed. */
    alter: () =>
      inTurn(async () => {
        if (altered === undefined) {
          const log = await read()
          const entryId = log && newestSealedEntry(log)
          if (entryId === undefined) return undefined
          const name = await stored.nameIn(subscriberId, entryId)
          const forgedName = names.find((other) => other !== name) ?? 'Nobody'
          await stored.rename(subscriberId, entryId, name, forgedName)
          altered = { entryId, name, forgedName }
        }
        return { altered, verified: await verify() }
      }),
    /** Puts the entry back. */
    restore: () =>
      inTurn(async () => {
        await putBack()
        return { verified: await verify() }
      }),
    /** Leaves no altered entry behind. */
    stop: () => inTurn(putBack).finally(stored.close),
  }
}
