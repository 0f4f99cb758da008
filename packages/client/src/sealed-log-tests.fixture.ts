import { createHash, randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { TestHerald } from './herald.fixture.ts'
import type { SealedLine } from './sealed-log.ts'

let herald: TestHerald

const user = { id: randomUUID(), name: 'Ada', email: 'ada@example.com' }

const publish = (subscriberId: string, count: number) =>
  herald.publish(
    herald.topics.change,
    Array.from({ length: count }, (_, n) => ({
      key: subscriberId,
      headers: { 'content-type': 'application/cloudevents+json' },
      value: JSON.stringify({
        ...{ specversion: '1.0', type: 'herald.change.recorded.v1', source: '/sealed', id: randomUUID() },
        ...{ time: new Date(), subscriberid: subscriberId },
        data: {
          user,
          ...{ entityType: 'portfolio', entityId: 'p-1', entityTitle: 'One', actionType: 'update' },
          ...{ changedField: 'name', beforeState: n, afterState: n + 1 },
        },
      }),
    })),
  )

const erase = (subscriberId: string) =>
  herald.publish(herald.topics.privacy, [
    {
      key: subscriberId,
      headers: { 'content-type': 'application/cloudevents+json' },
      value: JSON.stringify({
        ...{ specversion: '1.0', type: 'herald.person.erased.v1', source: '/sealed', id: randomUUID() },
        ...{ time: new Date(), subscriberid: subscriberId, data: { personId: user.id } },
      }),
    },
  ])

/** A checkpoint is the name of its log, its size and its root, one on each line; the signature is below. */
function read(checkpoint: string) {
  const [, size = '', root = ''] = checkpoint.split('\n')
  return { size: Number(size), root }
}

/** The root that a proof gives (RFC 9162, section 2.1.3.2). */
function rootOf(index: number, size: number, leafHash: string, hashes: readonly string[]): string {
  const bytes = (base64: string) => Buffer.from(base64, 'base64')
  const join = (left: Buffer, right: Buffer) =>
    createHash('sha256').update('\u0001').update(left).update(right).digest()
  let [at, last, hash] = [index, size - 1, bytes(leafHash)]
  for (const sibling of hashes.map(bytes)) {
    const isRight = at % 2 === 1
    hash = isRight || at === last ? join(sibling, hash) : join(hash, sibling)
    if (!isRight && at === last) while (at % 2 === 0 && at > 0) [at, last] = [at / 2, Math.floor(last / 2)]
    ;[at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  }
  return hash.toString('base64')
}

export function describeSealedLog(running: () => TestHerald): void {
  beforeAll(() => {
    herald = running()
  })

  describe('the sealed log', () => {
    test('what a running service returns proves its log: each entry, its growth, and an erasure', async () => {
      const { subscriberId, client } = await herald.newUser({ scope: 'change-entries:read' })
      const { changeEntries } = client
      const sealed = (size: number) =>
        eventually(
          async () => {
            const checkpoint = read(await changeEntries.checkpoint())
            return checkpoint.size >= size && checkpoint
          },
          { description: `${size} leaves are sealed`, within: 60_000 },
        )
      await publish(subscriberId, 300)
      const first = await sealed(300)
      await publish(subscriberId, 120)
      const second = await sealed(420)
      expect(await changeEntries.checkpointKeys()).toEqual([
        expect.stringContaining(`localhost/herald/${subscriberId}+`),
      ])
      const growth = await changeEntries.consistency({ from: first.size, to: second.size })
      expect({ ...growth, checkpoint: read(growth.checkpoint) }).toMatchObject({
        from: 300,
        to: 420,
        checkpoint: second,
      })

      const { changeEntries: some } = await changeEntries.list({ limit: 20 })
      expect(some).toHaveLength(20)
      for (const { id } of some) {
        const { leafIndex, leafHash, salt, hashes, checkpoint } = await changeEntries.proof(id)
        const { size, root } = read(checkpoint)
        expect(rootOf(leafIndex, size, leafHash, hashes)).toBe(root)
        expect(rootOf(leafIndex, size, salt, hashes)).not.toBe(root)
      }

      await erase(subscriberId)
      await sealed(421)
      const lines: SealedLine[] = []
      for await (const line of changeEntries.sealed()) lines.push(line)
      expect(lines).toHaveLength(422)
      expect(lines.at(-1)).toMatchObject({ leafIndex: 420, erasure: { leafIndexes: [[0, 420]] } })
      expect(lines.filter((line) => 'gone' in line && line.gone === 'erased')).toHaveLength(420)
    })
  })
}
