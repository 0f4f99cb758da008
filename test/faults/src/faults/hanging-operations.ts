import type { StartedService } from '@herald/local-herald'
import { type HeldOperations, holdOperations, type Operation } from '../campaign/held-operation.ts'
import { type People, startPeopleOf } from '../campaign/people.ts'
import { countTraces, removePeople } from '../oracle/people-check.ts'
import type { PartContext } from '../part.ts'
import { until } from '../until.ts'
import { ofPeople, settle } from './erasures.ts'

/** Instead of a minute. */
const limitMs = 10_000
/** Until all is done in spite of it; with the limit it is much less, also on a busy machine. */
const doneWithinMs = 120_000
const peopleEvents = 300

type Hang = {
  readonly name: string
  readonly operation: Operation
  /** Causes the operation. */
  begin(): Promise<unknown>
  isDone(): Promise<boolean>
}

let notes: Record<string, number> = {}
export const hangNotes = () => notes

/**
 * An operation of the only member never ends: once that of a chunk, and once that of a step of a worker. The member must give
 * it up, say so at `/livez`, and do everything else.
 */
export async function hangOperations(context: PartContext): Promise<void> {
  const { campaign } = context
  const { fleet, load, stored } = campaign
  // The oracle knows a partition once it has a record of the plan.
  await load.produce(500)
  await campaign.drain()
  await Promise.all([...fleet.members].map(fleet.retire))
  const held = holdOperations(campaign)
  fleet.limit({ limitMs })
  const member = await fleet.grow()
  const people = await startPeopleOf(context)
  const followers = ofPeople(context)
  notes = {}
  try {
    await hang(context, member, held, {
      name: 'chunk',
      operation: 'insert notifications',
      begin: () => load.fill(),
      isDone: async () => (await load.inFlight()) === 0,
    })
    await people.publish(peopleEvents)
    await campaign.drain()
    await hang(context, member, held, {
      name: 'step of an erasure',
      operation: 'delete notifications',
      begin: () => people.eraseNext(),
      isDone: async () => (await countTraces(stored.database, people.erased)).size === 0,
    })
    await compare(context, people)
  } finally {
    await held.release()
    for (const follower of followers) follower.stop()
    await people.stop()
  }
}

async function hang(context: PartContext, member: StartedService, held: HeldOperations, given: Hang): Promise<void> {
  const { campaign, strikes, log } = context
  const { violations, load } = campaign
  const { name, operation, begin, isDone } = given
  await held.holdNext(operation, 'wait')
  await begin()
  await until(`the ${name} to hang`, held.isHeld)
  const since = Date.now()
  strikes.push({ fault: `a ${name} hangs`, inFlight: await load.inFlight() })
  const isNamed = async () => {
    const response = await fetch(`${member.adminUrl}/livez`)
    return !response.ok && (await response.text()).includes('has not ended since')
  }
  const limits = { withinMs: doneWithinMs }
  await Promise.all([
    until('/livez to name it', isNamed, limits).catch(() => violations.add('recovery', `${name}: /livez is fine`)),
    until('everything to be done', isDone, limits).catch(() => violations.add('recovery', `${name}: not given up`)),
  ])
  notes[name] = Date.now() - since
  log(`a ${name} hangs: everything else is done after ${notes[name]} ms`)
  // As the container's liveness probe has it.
  member.kill('SIGKILL')
  await member.restart()
  await campaign.drain()
}

async function compare(context: PartContext, people: People): Promise<void> {
  await settle(context, people)
  await removePeople(context.campaign.stored)
}
