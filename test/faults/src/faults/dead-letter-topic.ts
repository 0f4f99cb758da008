import { createTopics } from '@herald/test-servers'
import kafkajs from 'kafkajs'
import { partitionsPerTopic } from '../campaign/campaign.ts'
import { lasting, type PartContext, strike } from '../part.ts'
import { until } from '../until.ts'

const { ConfigResourceTypes } = kafkajs
const partition = 1
const tooFewBytes = 4_000
const padding = 6_000

/** Without a dead-letter topic only the partitions of bad records are blocked, and no record is lost. */
export async function removeDeadLetterTopic(context: PartContext): Promise<void> {
  const { campaign, stack, isShort } = context
  const { offsets, topics, load } = campaign
  await strike(
    context,
    'dead-letter topic removed',
    () => offsets.deleteTopic(topics.deadLetter),
    async () => {
      await load.producePoison({ count: 5, kind: 'mention', partition, pad: 0 })
      await load.produce(4_000, { poison: false })
      await expectBlockedPartition(context, isShort ? 5 : 20)
      await createTopics(stack.broker.direct.split(','), topics, { partitions: partitionsPerTopic })
      campaign.deadLetters.startAgain()
    },
    { poison: false },
  )
}

async function expectBlockedPartition({ campaign }: PartContext, seconds: number): Promise<void> {
  const { offsets, topics, violations, ledger } = campaign
  const name = `${topics.mention}/${partition}`
  await ledger.refresh()
  const poison = [...ledger.poison.keys()].filter((place) => place.startsWith(`${name}/`))
  const offsetsOfPoison = poison.map((place) => Number(place.slice(name.length + 1)))
  const first = offsetsOfPoison.toSorted((a, b) => a - b).at(-5) as number
  await until('the other partitions to reach their ends', async () => {
    const ends = await offsets.ends()
    const committed = await offsets.committed()
    return [...ends].every(([place, end]) => place === name || (committed.get(place) ?? 0) >= end)
  })
  await lasting(seconds)
  const position = (await offsets.committed()).get(name) ?? 0
  if (position > first) violations.add('offset', `${name} advanced to ${position}, past the poison at ${first}`)
}

/** With a dead-letter topic that rejects records as large as the failed one, letters are published without their values. */
export async function narrowDeadLetterTopic(context: PartContext): Promise<void> {
  const { campaign } = context
  const { deadLetters } = campaign
  const lettersBefore = deadLetters.letters.size
  await strike(
    context,
    'dead-letter topic too small',
    () => setLargestRecord(context, tooFewBytes),
    async () => {
      // The broker applies the setting after a moment; until then letters are published whole, which is correct.
      await until('5 dead letters without their values', async () => {
        await campaign.load.producePoison({ count: 5, kind: 'mention', partition, pad: padding })
        await campaign.load.caughtUp()
        await campaign.drain()
        const without = [...deadLetters.letters.values()].flat().filter(({ value }) => value === null)
        return without.length >= 5
      })
      await setLargestRecord(context, 2 * 1024 * 1024)
    },
  )
  context.log(`${deadLetters.letters.size - lettersBefore} new dead letters`)
}

const setLargestRecord = ({ campaign }: PartContext, bytes: number) =>
  campaign.offsets.run((admin) =>
    admin.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: ConfigResourceTypes.TOPIC,
          name: campaign.topics.deadLetter,
          configEntries: [{ name: 'max.message.bytes', value: String(bytes) }],
        },
      ],
    }),
  )
