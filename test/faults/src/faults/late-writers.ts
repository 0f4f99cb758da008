import { holdOperations, untilStopped } from '../campaign/held-operation.ts'
import { type People, startPeopleOf } from '../campaign/people.ts'
import { countRetracted, countTraces, removePeople } from '../oracle/people-check.ts'
import type { PartContext } from '../part.ts'
import { until } from '../until.ts'
import { ofPeople, settle } from './erasures.ts'

/** `insertWithinMs` is the frozen writer's, `lookAgainMs` that of the member that goes on. */
type Scene = {
  readonly name: string
  readonly insertWithinMs: number
  readonly lookAgainMs: number
  /** Whether the writer wakes after erasures and retractions were repeated, or before. */
  readonly wakesAfterLook: boolean
}

const scenes: readonly Scene[] = [
  // Its insert arrives: what comes back is found by the later look.
  { name: 'before the later look', insertWithinMs: 600_000, lookAgainMs: 30_000, wakesAfterLook: false },
  // Nobody will look again, so that its insert must not be sent.
  { name: 'after it', insertWithinMs: 5_000, lookAgainMs: 5_000, wakesAfterLook: true },
]
const eventsOfWriter = 40
const retractedEvents = 10
const attempts = 3

let notes: Record<string, unknown> = {}
export const lateWriterNotes = () => notes

/**
 * Freezes a member just before its notifications are sent, until another one has stored, erased and retracted them; lets it
 * continue, and kills it when its insert has ended. Nothing of the erased and the retracted may be there in the end.
 */
export async function writeLate(context: PartContext): Promise<void> {
  const { campaign } = context
  // The oracle knows a partition once it has a record of the plan.
  await campaign.load.produce(500)
  await campaign.drain()
  const people = await startPeopleOf(context)
  const followers = ofPeople(context)
  notes = {}
  try {
    for (const scene of scenes) {
      for (let attempt = 0; !(await freezeWriter(context, people, scene)); attempt++) {
        if (attempt === attempts) throw new Error('The insert of the frozen writer never arrived')
      }
      notes[scene.name] = await settle(context, people)
      if (campaign.violations.count() > 0) return
    }
    await removePeople(campaign.stored)
  } finally {
    for (const follower of followers) follower.stop()
    await people.stop()
  }
}

/** @returns whether the insert arrived before the later look, if that is wanted */
async function freezeWriter(context: PartContext, people: People, scene: Scene): Promise<boolean> {
  const { campaign, strikes, log } = context
  const { fleet, load, stored } = campaign
  const { name, insertWithinMs, lookAgainMs, wakesAfterLook } = scene
  await Promise.all([...fleet.members].map(fleet.retire))
  const held = holdOperations(campaign)
  fleet.limit({ insertWithinMs, lookAgainMs })
  const writer = await fleet.grow()
  await held.holdNext('insert notifications', 'stop')
  await people.publish(eventsOfWriter)
  await untilStopped(writer.pid)
  const fault = `ingest SIGSTOP before its insert, continues ${name}, then kill -9`
  strikes.push({ fault, inFlight: await load.fill() })
  log(fault)

  held.end()
  fleet.limit({ insertWithinMs: 60_000 })
  // It is ready when it has joined, so that the frozen one is not a member any more.
  await fleet.grow()
  await campaign.drain()
  await people.retract(retractedEvents)
  await people.eraseNext()
  const isLeft = async () =>
    (await countTraces(stored.database, people.erased)).size + (await countRetracted(stored, people)) > 0
  await until('the erasure and the retractions to be carried out', async () => !(await isLeft()))
  const carriedOutAt = Date.now()
  if (wakesAfterLook) await until('them to be repeated', async () => (await countDue(context)) === 0)
  // On a machine that is too busy the look would be first.
  const isInTime = wakesAfterLook || Date.now() - carriedOutAt < lookAgainMs / 2
  writer.kill(isInTime ? 'SIGCONT' : 'SIGKILL')
  await writer.exited
  await fleet.retire(writer)
  if (wakesAfterLook) return true
  const hasArrived = await isLeft()
  log(`${hasArrived ? 'its insert' : 'nothing'} arrived ${Date.now() - carriedOutAt} ms after the erasure`)
  return hasArrived
}

/** The erasures and retractions that will be repeated. */
async function countDue({ campaign: { stored } }: PartContext): Promise<number> {
  const due = { dueAt: { $exists: true } }
  const counts = ['erasures', 'tombstones'].map((name) => stored.database.collection(name).countDocuments(due))
  return (await Promise.all(counts)).reduce((sum, count) => sum + count)
}
