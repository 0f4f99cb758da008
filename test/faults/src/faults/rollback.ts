import { createHeraldClient } from '@herald/client'
import { MongoClient } from 'mongodb'
import { uuidOf } from '../oracle/announced-notification.ts'
import { plannedUuid } from '../oracle/derived-id.ts'
import { type PartContext, strike } from '../part.ts'
import { pause, until } from '../until.ts'
import { followStreams } from './rolled-streams.ts'

const readers = 10

let notes: Record<string, unknown> = {}
export const rollbackNotes = () => notes

/**
 * Kills the primary with writes that no other member has, and starts it again when the others have gone on without it: it
 * rolls them back. Nothing that was acknowledged may be lost, and no reader may lose what it has seen.
 */
export async function rollBack(context: PartContext): Promise<void> {
  const { campaign, times } = context
  await campaign.load.produce(1_000)
  await campaign.drain()
  const streams = await followStreams(context)
  const reading = await readFeeds(context, streams.current().url)
  const rolledBack: number[] = []
  try {
    for (let done = 0; done < times; done++) {
      let primary: Awaited<ReturnType<typeof cutOff>> | undefined
      await strike(
        context,
        `failover with a rollback (${done + 1} of ${times})`,
        async () => {
          primary = await cutOff(context)
        },
        async () => {
          await until('another primary', async () => (await context.stack.mongo.primary()) !== primary?.member)
          await campaign.load.produce(500)
          await primary?.member.restart()
          rolledBack.push((await primary?.untilRolledBack()) ?? 0)
        },
      )
    }
    await campaign.drain()
    notes = { rolledBack, ...(await reading.stop()), streams: await streams.check() }
    context.log(JSON.stringify(notes))
  } finally {
    await reading.stop()
    await streams.stop()
  }
}

/** Freezes the others until the primary has written what they lack, and then kills it and lets them continue. */
async function cutOff({ stack, log }: PartContext) {
  const member = await stack.mongo.primary()
  const others = stack.mongo.members.filter((one) => one !== member)
  const uri = `mongodb://${member.address}/?directConnection=true`
  const lead = async () => {
    const client = new MongoClient(uri, { serverSelectionTimeoutMS: 1_000, socketTimeoutMS: 2_000 })
    try {
      const { optimes, members } = await client.db('admin').command({ replSetGetStatus: 1 })
      const isPrimary = members.some(({ self, stateStr }: Record<string, unknown>) => self && stateStr === 'PRIMARY')
      return { isPrimary, ahead: optimes.appliedOpTime.ts.subtract(optimes.lastCommittedOpTime.ts).toString() }
    } finally {
      await client.close()
    }
  }
  const idOf = async () => {
    const client = new MongoClient(uri, { serverSelectionTimeoutMS: 2_000 })
    try {
      return (await client.db('admin').command({ replSetGetRBID: 1 })).rbid as number
    } finally {
      await client.close()
    }
  }
  const before = await idOf()
  for (const other of others) other.kill('SIGSTOP')
  try {
    await until('writes that only the primary has', async () => (await lead()).ahead !== '0', { everyMs: 50 })
    await pause(1_000)
    log(`only the primary has its last writes: ${JSON.stringify(await lead())}`)
  } finally {
    member.kill('SIGKILL')
    for (const other of others) other.kill('SIGCONT')
  }
  return {
    member,
    /** @returns how often the member has rolled back since */
    async untilRolledBack() {
      let count = 0
      await until('the former primary to roll back', async () => {
        count = (await idOf()) - before
        return count > 0
      })
      return count
    },
  }
}

/** Lists feeds again and again: what was listed once is listed from then on. */
async function readFeeds({ campaign }: PartContext, url: string) {
  const { plan, fleet, violations } = campaign
  let isStopped = false
  let lists = 0
  const read = async (index: number): Promise<void> => {
    const sub = uuidOf(plannedUuid(2, 5 + index + 20 * index))
    const token = await fleet.tokens.sign({ sub, subscriber_id: uuidOf(plannedUuid(1, index % plan.subscribers)) })
    const { notifications } = createHeraldClient({ baseUrl: url, token, retry: { retries: 0 } })
    const seen = new Set<string>()
    while (!isStopped) {
      try {
        const listed = new Set<string>()
        for await (const { id } of notifications.iterate({ limit: 100 })) listed.add(id)
        for (const id of seen) {
          if (!listed.has(id)) violations.add('stream', `reader ${index} no longer sees ${id}`)
        }
        for (const id of listed) seen.add(id)
        lists++
      } catch {
        // Unavailable while there is no primary.
      }
      await pause(200)
    }
  }
  const reading = Array.from({ length: readers }, (_, index) => read(index))
  return {
    async stop() {
      isStopped = true
      await Promise.all(reading)
      return { lists }
    },
  }
}
