import { type PartContext, strike } from '../part.ts'
import { rewind, setGroupOffsets, whileGroupIsEmpty } from './group-positions.ts'

const outOfAnyRange = 999_999_999

/** Every event ten times, and then the topics from offset 0: once stored, and what was read or unread since stays so. */
export async function repeatEverything(context: PartContext): Promise<void> {
  const { campaign, isShort, times, log } = context
  await campaign.load.produce(isShort ? 500 : 5_000, { copies: 10 })
  await campaign.drain()
  for (let done = 0; done < times; done++) {
    const marked = await campaign.marks.make(isShort ? 100 : 1_000)
    await strike(context, 'every event 10 times, and a replay from offset 0', () =>
      whileGroupIsEmpty(context, () => rewind(context)),
    )
    log(`${marked} more notifications had been marked`)
  }
}

/** Offsets that no longer exist, and such as never were: the group begins again at the earliest record, and says so. */
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
  const isToldOf = campaign.fleet.members.some((member) => member.logs().some((line) => /out of range/i.test(line)))
  if (!isToldOf) campaign.violations.add('failed', 'no line of a log tells of offsets out of range')
}

async function deleteFirstRecords({ campaign }: PartContext): Promise<void> {
  const committed = await campaign.offsets.committed()
  for (const { topic, partition } of campaign.ledger.partitions.values()) {
    const offset = Math.floor((committed.get(`${topic}/${partition}`) ?? 0) / 2)
    const partitions = [{ partition, offset: String(offset) }]
    await campaign.offsets.run((admin) => admin.deleteTopicRecords({ topic, partitions }))
  }
}
