import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTopics } from '@herald/test-servers'
import type { Attack, Attacker, Expected } from '../attacks/attack.ts'
import { capturedChangeAttacks, mappingOf } from '../attacks/captured-changes.ts'
import { mentionAttacks } from '../attacks/mentions.ts'
import { type Publisher, startPublisher } from '../attacks/publisher.ts'
import { retractionAttacks } from '../attacks/retractions.ts'
import { type Campaign, partitionsPerTopic } from '../campaign/campaign.ts'
import { createGroupOffsets, type GroupOffsets } from '../oracle/group-offsets.ts'
import type { PartContext } from '../part.ts'
import type { PeakCheck } from '../peaks.ts'
import { until } from '../until.ts'
import { topicOf } from './announcements.ts'
import { compareAttack, removeSubscriber } from './attack-check.ts'

const attacks: readonly Attack[] = [...capturedChangeAttacks, ...retractionAttacks, ...mentionAttacks]
/** Limits any process under attack. */
const mostMiB = 400
const goodEvents = 1_000
const withinMs = 300_000

/** One publisher sends what is within every bound of a record, and together would fill the memory or stop the event loop. */
export async function attackAsOnePublisher(context: PartContext, peaks: PeakCheck): Promise<void> {
  const { campaign, stack, log } = context
  const captured = `captured-${campaign.name}`
  const folder = await mkdtemp(join(tmpdir(), 'herald-mappings-'))
  const mappings = join(folder, 'mappings.yaml')
  await writeFile(mappings, mappingOf(captured))
  const brokers = stack.broker.direct.split(',')
  await createTopics(brokers, { ...campaign.topics, notification: topicOf(context), ...{ [captured]: captured } })
  const offsets = createGroupOffsets(stack.broker.direct, campaign.groupId, [captured])
  const publisher = await startPublisher(stack.broker.direct)
  try {
    await campaign.fleet.restartWith({ CDC_MAPPINGS: mappings, KAFKA_NOTIFICATION_TOPIC: topicOf(context) })
    for (const [index, attack] of attacks.entries()) {
      await carryOut({ context, peaks, publisher, offsets, captured, partition: index % partitionsPerTopic }, attack)
      log(peaks.describe(attack.name))
    }
    await untilAllAnnounced(campaign)
  } finally {
    await publisher.stop()
    await offsets.close()
    await rm(folder, { recursive: true })
  }
}

type Scene = {
  readonly context: PartContext
  readonly peaks: PeakCheck
  readonly publisher: Publisher
  readonly offsets: GroupOffsets
  readonly captured: string
  readonly partition: number
}

/** Among good events, and until everything is committed and compared. */
async function carryOut(scene: Scene, attack: Attack): Promise<void> {
  const { context, peaks, offsets } = scene
  const { campaign, strikes } = context
  const { load, violations } = campaign
  await load.produce(goodEvents)
  await campaign.drain()
  const published = new Map<string, string>()
  const attacker = createAttacker(scene, published)
  await peaks.during(attack.name, mostMiB, async () => {
    await load.produce(goodEvents)
    const expected: Expected = await attack.run(attacker)
    await load.produce(goodEvents)
    strikes.push({ fault: attack.name, inFlight: await load.inFlight() })
    await Promise.all([campaign.drain({ withinMs }), untilCommitted(offsets)])
    const wrong = await compareAttack(campaign, { attack, expected, published, subscriberId: attacker.subscriberId })
    for (const detail of wrong) violations.add('attack', `${attack.name}: ${detail}`)
  })
  await removeSubscriber(campaign.stored, attacker.subscriberId)
}

function createAttacker(
  { context, publisher, offsets, captured, partition }: Scene,
  published: Map<string, string>,
): Attacker {
  const { campaign, isShort } = context
  const topics = { mention: campaign.topics.mention, receipt: campaign.topics.receipt, captured }
  const subscriberId = randomUUID()
  return {
    subscriberId,
    source: `${campaign.plan.source}:attacker`,
    isShort,
    timeMs: Date.now() - 60_000,
    async publish(topic, messages, batches) {
      const keyed = messages.map((message) => ({ key: subscriberId, ...message }))
      const places = await publisher.publish(topics[topic], partition, keyed, batches)
      for (const [index, place] of places.entries()) {
        campaign.ledger.addOther(place.topic, place.partition, place.offset)
        published.set(`${place.topic}/${place.partition}/${place.offset}`, keyed[index]?.value ?? '')
      }
    },
    async committed() {
      await Promise.all([campaign.drain({ withinMs }), untilCommitted(offsets)])
    },
    async indexUses(collection, index) {
      const [found] = await campaign.stored.database
        .collection(collection)
        .aggregate([{ $indexStats: {} }, { $match: { name: index } }])
        .toArray()
      return Number(found?.accesses.ops)
    },
  }
}

async function untilCommitted(offsets: GroupOffsets): Promise<void> {
  const isCommitted = async () => {
    const [ends, committed] = [await offsets.ends(), await offsets.committed()]
    return [...ends].every(([name, end]) => (committed.get(name) ?? 0) >= end)
  }
  await until('the captured changes to be committed', isCommitted, { withinMs, everyMs: 200 })
}

/** The relay, too, makes progress. */
async function untilAllAnnounced({ fleet }: Campaign): Promise<void> {
  const dueOf = async (adminUrl: string): Promise<number> => {
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
    return Number(/^herald_announcements_due (\d+)/m.exec(metrics)?.[1])
  }
  const isDone = async () =>
    (await Promise.all(fleet.members.map(({ adminUrl }) => dueOf(adminUrl)))).every((due) => due === 0)
  await until('all announcements to be sent', isDone, { withinMs, everyMs: 1_000 })
}
