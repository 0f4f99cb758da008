import { type PartContext, strike } from '../part.ts'
import { rewind, setGroupOffsets, whileGroupIsEmpty } from './group-positions.ts'

const outOfAnyRange = 999_999_999

/** Publishes every event ten times and replays the topics: each is stored once, and marks as read or unread are kept. */
export async function repeatEverything(context: PartContext): Promise<void> {
  const { campaign, isShort, times, log } = context
  await campaign.load.produce(isShort ? 500 : 5_000, { copies: 10 })
  await campaign.drain()
  for (let done = 0; done < times; done++) {
    const marked = await campaign.marks.make(isShort ? 100 : 1_000)
    await strike(context, 'every event 10 times, and a replay from offset 0', () =>
      whileGroupIsEmpty(context, () => rewind(context)),
    )
    log(`${marked} more notifications were marked before`)
  }
}

/** Sets offsets that were deleted, and offsets beyond the end: the group must start at the first record and log it. */
export async function loseOffsets(context: PartContext): Promise<void> {
  const { campaign } = context
  await campaign.load.produce(2_000)
  await campaign.drain()
  await strike(context, 'offsets below the first record', () =>
    whileGroupIsEmpty(context, async () => {
      await deleteFirstRecords(context)
      await setGroupOffsets(context, () => 0)
    }),
  )
  await campaign.drain()
  await strike(context, 'offsets beyond the last record', () =>
    whileGroupIsEmpty(context, () => setGroupOffsets(context, () => outOfAnyRange)),
  )
  const isLogged = campaign.fleet.members.some((member) => member.logs().some((line) => /out of range/i.test(line)))
  if (!isLogged) campaign.violations.add('failed', 'no log line reports offsets out of range')
}

async function deleteFirstRecords({ campaign }: PartContext): Promise<void> {
  const committed = await campaign.offsets.committed()
  for (const { topic, partition } of campaign.ledger.partitions.values()) {
    const offset = Math.floor((committed.get(`${topic}/${partition}`) ?? 0) / 2)
    const partitions = [{ partition, offset: String(offset) }]
    await campaign.offsets.run((admin) => admin.deleteTopicRecords({ topic, partitions }))
  }
}
