import { watchOffsets } from '../oracle/offset-watch.ts'
import { lasting, type PartContext, strike } from '../part.ts'
import { clusterOfThree } from '../stack/three-brokers.ts'
import { pause } from '../until.ts'
import { joinInFlight } from './join-in-flight.ts'

/** Longer than the session of a broker, so that others lead its partitions. */
const frozenSeconds = 15

let notes: Record<string, unknown> = {}
export const threeBrokersNotes = () => notes

/**
 * Kills one broker of three, freezes another, kills one after it was frozen, and does both at once: the leaders move, and
 * nothing is lost. Members join while records of several brokers are in flight. No committed offset may ever go back.
 */
export async function failBrokers(context: PartContext): Promise<void> {
  const { campaign, times } = context
  const offsets = watchOffsets(campaign.offsets, campaign.violations)
  try {
    for (let done = 0; done < times; done++) {
      await joinInFlight(context, offsets)
      await failEach(context, done)
    }
    await campaign.drain()
    await offsets.confirmed()
  } finally {
    await offsets.stop()
    notes = { samples: offsets.samples() }
  }
}

/** The part of it that needs no other broker to fail. */
export async function joinOnly(context: PartContext): Promise<void> {
  const offsets = watchOffsets(context.campaign.offsets, context.campaign.violations)
  await joinInFlight(context, offsets).finally(offsets.stop)
}

async function failEach(context: PartContext, done: number): Promise<void> {
  const turn = `(${done + 1} of ${context.times})`
  const at = (index: number) => clusterOfThree()[(done + index) % 3]
  await strike(
    context,
    `one broker of three kill -9 ${turn}`,
    () => at(0)?.kill('SIGKILL'),
    () => at(0)?.restart(),
  )
  await strike(
    context,
    `one broker of three SIGSTOP ${frozenSeconds} s ${turn}`,
    () => at(1)?.kill('SIGSTOP'),
    () => lasting(frozenSeconds).finally(() => at(1)?.kill('SIGCONT')),
  )
  await strike(
    context,
    `one broker of three SIGSTOP ${frozenSeconds} s, then kill -9 ${turn}`,
    () => at(2)?.kill('SIGSTOP'),
    async () => {
      await lasting(frozenSeconds).finally(() => at(2)?.kill('SIGCONT'))
      await pause(Math.random() * 1_000)
      at(2)?.kill('SIGKILL')
      await at(2)?.restart()
    },
  )
  await strike(
    context,
    `one broker of three kill -9, another SIGSTOP ${frozenSeconds} s ${turn}`,
    () => {
      at(2)?.kill('SIGSTOP')
      at(0)?.kill('SIGKILL')
    },
    async () => {
      await lasting(frozenSeconds).finally(() => at(2)?.kill('SIGCONT'))
      await at(0)?.restart()
    },
  )
}
