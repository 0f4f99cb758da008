import { eventually, startReplicaSet } from '@herald/test-servers'
import { MongoClient } from 'mongodb'
import { withLargeCache } from '../cache-size.ts'
import { cpuTimes } from '../cpu-time.ts'
import { resize } from '../layout/outgrown-round.ts'
import { createMemoryGroup } from '../memory-group.ts'
import type { Part } from '../part.ts'
import { createOutgrownHerald, type Round, type Scale } from './small-cache/outgrown-herald.ts'

const mebi = 2 ** 20
const full: Scale = { events: 3_300_000, perRound: 66_000, subscribers: 1_000, cacheMib: 256 }
const small: Scale = { events: 2_000, perRound: 1_000, subscribers: 2, cacheMib: 64 }

/**
 * Ingest and pages with more data than MongoDB's cache holds, on a replica set of its own. Where Linux permits it, mongod may keep
 * hardly more than its cache in memory, so that blocks come from the disk and not from the page cache.
 */
export const smallCache: Part = {
  name: 'small-cache',
  about: '10,000,000 notifications of 1,000,000 recipients through ingest, with a cache of 256 MiB',
  rounds: 5,
  async run(context) {
    const scale = context.smoke ? small : full
    const group = await createMemoryGroup()
    const replicaSet = await startReplicaSet()
    const [member] = replicaSet.members
    const client = new MongoClient(replicaSet.uri)
    const database = client.db('herald')
    try {
      if (member === undefined) throw new Error('The replica set has no member')
      await group?.add(member.pid)
      const run = await createOutgrownHerald(context, scale, replicaSet.uri, database)
      await withLargeCache(client, () => run.store(scale.events, member.pid))
      // The memory of the large cache is not given back otherwise.
      await member.restart()
      await group?.add(member.pid)
      await untilWritable(client)
      await resize(database, scale.cacheMib * mebi)
      await group?.limit(scale.cacheMib * mebi + 512 * mebi)
      if (!group) context.log('No control group: blocks are read from the page cache')
      const measured: Round[] = []
      for (let round = 1; round <= context.rounds; round++) {
        const found = await run.measure(member.pid)
        measured.push(found)
        context.log(
          `round ${round} of ${context.rounds}: ${found.drain.perSecond.toFixed(0)} documents/s, ` +
            `${found.blocksPerPage.toFixed(2)} blocks a page`,
        )
      }
      return toFigures(measured, group ? 'past the page cache' : 'in the page cache')
    } finally {
      await client.close()
      await replicaSet.stop()
      await group?.remove()
    }
  },
}

async function untilWritable(client: MongoClient): Promise<void> {
  const isWritable = async () => (await client.db('admin').command({ hello: 1 })).isWritablePrimary === true
  await eventually(() => isWritable().catch(() => false), { description: 'the primary is back', within: 60_000 })
}

function toFigures(measured: readonly Round[], where: string) {
  const of = (what: string, unit: string, take: (round: Round) => number) => ({
    what: `${what}, small cache, blocks ${where}`,
    unit,
    measured: measured.map(take),
  })
  return [
    {
      ...of('notifications stored', 'documents/s', ({ drain }) => drain.perSecond),
      cpu: cpuTimes(measured.map(({ drain }) => drain)),
      goal: { atLeast: 6_000 },
    },
    of('blocks read for a notification', 'blocks', ({ blocksRead }) => blocksRead),
    of('blocks written for a notification', 'blocks', ({ blocksWritten }) => blocksWritten),
    { ...of('blocks read for a page', 'blocks', ({ blocksPerPage }) => blocksPerPage), goal: { atMost: 3 } },
    of('p50 of a page', 'ms', ({ pageMs }) => pageMs),
  ]
}
