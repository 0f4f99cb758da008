import { type Campaign, partitionsPerTopic } from '../campaign/campaign.ts'
import { type People, peopleSubscriber, startPeopleOf } from '../campaign/people.ts'
import { uuidOf } from '../oracle/announced-notification.ts'
import { comparePeople, countRetracted, countTraces, type PeopleFigures, removePeople } from '../oracle/people-check.ts'
import { followTopic, type TopicFollower } from '../oracle/topic-follower.ts'
import { type PartContext, strike } from '../part.ts'
import { until } from '../until.ts'
import { rewind, whileGroupIsEmpty } from './group-positions.ts'
import { killIngest } from './ingest-faults.ts'
import { killBroker, killPrimary } from './server-faults.ts'

let figures: PeopleFigures | undefined

/** Nothing of an erased person is left or comes back, and nothing of others is lost or doubled. */
export async function eraseThroughFaults(context: PartContext): Promise<void> {
  const { campaign, isShort } = context
  // The oracle knows a partition once it has a record of the plan.
  await campaign.load.produce(500)
  await campaign.drain()
  const people = await startPeopleOf(context)
  const followers = ofPeople(context)
  const perFault = isShort ? 300 : 1_500
  const stir = async (): Promise<void> => {
    await people.publishLate()
    await people.publish(perFault)
    await people.eraseNext()
    await people.repeat(perFault)
  }
  try {
    for (let done = 0; done < context.times; done++) {
      for (const hit of [killIngest, killBroker, killPrimary]) {
        await stir()
        await hit({ ...context, times: 1 })
      }
    }
    await settle(context, people)
    await strike(context, 'a replay of all topics from offset 0', () =>
      whileGroupIsEmpty(context, () => rewindAll(context)),
    )
    figures = await settle(context, people)
    await removePeople(campaign.stored)
  } finally {
    for (const follower of followers) follower.stop()
    await people.stop()
  }
}

/** Their records are not the plan's: the oracle of the offsets skips them. */
export function ofPeople({ campaign, stack }: PartContext): TopicFollower[] {
  const { python, topics, ledger } = campaign
  return [topics.mention, topics.change].map((topic) =>
    followTopic({
      python,
      broker: stack.broker.direct,
      topic,
      partitions: partitionsPerTopic,
      onRecord({ partition, offset, key }) {
        const isOfPeople = key !== null && Buffer.from(key, 'base64').toString() === uuidOf(peopleSubscriber)
        if (isOfPeople) ledger.partitions.get(`${topic}/${partition}`)?.addVoid(offset)
      },
    }),
  )
}

export const erasureNotes = () => ({ figures })

async function rewindAll(context: PartContext): Promise<void> {
  const { groupId, offsets, topics } = context.campaign
  await rewind(context)
  await offsets.run((admin) => admin.resetOffsets({ groupId, topic: topics.privacy, earliest: true }))
}

/** Waits until the erasures and retractions are carried out, and compares. */
export async function settle({ campaign, log }: PartContext, people: People): Promise<PeopleFigures> {
  const { stored, violations } = campaign
  await campaign.drain()
  const left = await untilGone(campaign, people)
  await people.publishLate()
  await campaign.drain()
  // Anything left after minutes stays.
  const traces = left.size > 0 ? left : await untilGone(campaign, people)
  for (const [name, count] of traces)
    violations.add('unexpected', `${count} documents of ${name} contain erased people`)
  const compared = await comparePeople({ people, stored, violations })
  const found = { events: 2 * people.events.length, erased: people.erased.size, compared, traces: traces.size }
  log(JSON.stringify(found))
  return found
}

/** @returns what is left of the erased people after some minutes, by collection */
async function untilGone({ stored }: Campaign, people: People): Promise<ReadonlyMap<string, number>> {
  let traces = new Map<string, number>()
  const isGone = async () => {
    traces = await countTraces(stored.database, people.erased)
    return traces.size === 0 && (await countRetracted(stored, people)) === 0
  }
  await until('the erased people and retracted mentions to be gone', isGone, { everyMs: 2_000 }).catch(() => {})
  return traces
}
