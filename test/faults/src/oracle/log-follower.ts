import { setTimeout as sleep } from 'node:timers/promises'
import type { Binary, Collection, Document } from 'mongodb'
import { rangeOf } from './subscriber-range.ts'
import type { Violations } from './violations.ts'

type LogFollowerOptions = {
  readonly url: string
  readonly token: string
  readonly subscriber: Buffer
  readonly violations: Violations
}

type Body = {
  readonly data: { readonly changeEntries: readonly { readonly id: string }[]; readonly nextCursor: string }
}
type Page = { readonly ids: readonly string[]; readonly next: string }

/** A reader who copies a change log in recorded order, knowing only the contract. */
export type LogFollower = {
  readonly seen: number
  /** The ids that are stored and not yet seen, or seen and not stored. */
  differences(changeEntries: Collection<Document & { _id: Binary }>): Promise<readonly string[]>
  /** Reads the whole log again, and compares the order. */
  readAgain(): Promise<void>
  stop(): Promise<void>
}

const pollMs = 500

export function followLog({ url, token, subscriber, violations }: LogFollowerOptions): LogFollower {
  const seen = new Set<string>()
  let isStopped = false

  /** `undefined` while Herald can't serve it. */
  async function read(cursor: string | undefined): Promise<Page | undefined> {
    const position = cursor === undefined ? '' : `&cursor=${cursor}`
    const answer = await fetch(`${url}/change-entries?order=recorded&limit=100${position}`, {
      headers: { authorization: `Bearer ${token}` },
    }).catch(() => undefined)
    const body = (await answer?.json().catch(() => undefined)) as Body | undefined
    if (answer?.status === 200 && body) {
      const { changeEntries, nextCursor } = body.data
      return { ids: changeEntries.map(({ id }) => id), next: nextCursor }
    }
    if (answer && ![429, 502, 503, 504].includes(answer.status)) violations.add('order', `status ${answer.status}`)
    await sleep(pollMs)
    return undefined
  }

  async function follow(): Promise<void> {
    for (let cursor: string | undefined; !isStopped; ) {
      const page = await read(cursor)
      if (page === undefined) continue
      for (const id of page.ids) {
        if (seen.has(id)) violations.add('doubled', `${id} came again in recorded order`)
        seen.add(id)
      }
      if (page.next === cursor) await sleep(pollMs)
      cursor = page.next
    }
  }
  const following = follow()

  return {
    get seen() {
      return seen.size
    },
    async differences(changeEntries) {
      const stored = new Set<string>()
      const found = changeEntries.find(rangeOf(subscriber, 'changeEntries'), { projection: { _id: 1 } })
      for await (const { _id } of found) stored.add(idOf(_id))
      return [...[...stored].filter((id) => !seen.has(id)), ...[...seen].filter((id) => !stored.has(id))]
    },
    async readAgain() {
      const first = [...seen]
      const again: string[] = []
      for (let cursor: string | undefined; again.length < first.length; ) {
        const page = await read(cursor)
        if (page === undefined) continue
        again.push(...page.ids)
        if (page.next === cursor) break
        cursor = page.next
      }
      const at = first.findIndex((id, index) => again[index] !== id)
      if (at >= 0) violations.add('order', `place ${at} was ${first[at]}, and is ${again[at]}`)
    },
    async stop() {
      isStopped = true
      await following
    },
  }
}

function idOf({ buffer }: Binary): string {
  const hex = Buffer.from(buffer).toString('hex', 16, 32)
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
}
