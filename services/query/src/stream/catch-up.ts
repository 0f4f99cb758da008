import type { FeedChanges } from '@herald/feed'
import { backoffMs, createTurns, type Logger, pause } from '@herald/runtime'
import type { Position } from '@herald/store'
import { type Audience, type ChangeStep, createAudience, type Decode } from './audience.ts'
import type { StreamClient } from './client.ts'
import type { LastErasures } from './last-erasures.ts'
import { maxTurnMs, type StreamOptions } from './options.ts'

export type CatchUpDependencies = {
  readonly watch: FeedChanges['watch']
  readonly decode: Decode
  readonly livePosition: () => Position | undefined
  /** The client has received everything up to its position, and the live stream is not ahead of it. */
  readonly onCaughtUp: (client: StreamClient) => void
  /** The changes that the client missed are no longer available. */
  readonly onLost: (client: StreamClient) => void
  readonly lastErasures: LastErasures
  /** A change that the client missed is older than an erasure, and may contain the person, or was made by one. */
  readonly onErased: (client: StreamClient) => void
  readonly logger: Pick<Logger, 'warn'>
  readonly options: Pick<StreamOptions, 'catchUpWindowMs' | 'minPauseMs' | 'maxPauseMs'>
}

const byPosition = (a: StreamClient, b: StreamClient) => (a.position < b.position ? -1 : 1)

/**
 * Sends clients the changes that they missed. All waiting clients share one change stream from the smallest of their
 * positions; a new client joins it if the stream has not passed its position. Once the stream is level with the live
 * stream, all clients are handed over; positions prevent duplicates.
 */
export function createCatchUp(dependencies: CatchUpDependencies) {
  const { watch, decode, livePosition, onCaughtUp, onLost, lastErasures, onErased, logger, options } = dependencies
  const stop = new AbortController()
  const { signal } = stop
  const waiting = new Set<StreamClient>()
  let current: { readonly audience: Audience; position: Position } | undefined
  let isWorking = false
  let work = Promise.resolve()
  let lostBefore = false

  function add(client: StreamClient): void {
    if (client.ended || signal.aborted) return
    if (current && client.position >= current.position) current.audience.add(client)
    else waiting.add(client)
    if (!isWorking) work = runRounds()
  }

  async function runRounds(): Promise<void> {
    isWorking = true
    await pause(options.catchUpWindowMs, signal)
    for (let failures = 0; waiting.size > 0 && !signal.aborted; ) {
      try {
        await runRound()
        failures = 0
      } catch (err) {
        if (!signal.aborted) logger.warn({ err, failures, clients: waiting.size }, 'Catch-up failed, retrying')
        await pause(backoffMs(failures++, options), signal)
      }
    }
    isWorking = false
  }

  async function runRound(): Promise<void> {
    const ordered = [...waiting].sort(byPosition)
    // After a lost position, try the middle one: if that is lost, too, so are all older ones.
    const chosen = ordered.slice(lostBefore ? Math.floor(ordered.length / 2) : 0)
    const start = (chosen[0] as StreamClient).position
    for (const client of chosen) waiting.delete(client)
    const audience: Audience = createAudience({
      decode,
      members: chosen,
      onMasked: (clients) => dropAll(audience, clients),
    })
    const round = { audience, position: start }
    current = round
    try {
      await replay(round)
    } finally {
      current = undefined
      for (const client of round.audience.members()) waiting.add(client)
    }
  }

  async function replay(round: { readonly audience: Audience; position: Position }): Promise<void> {
    const { audience } = round
    const start = round.position
    const yieldTurn = createTurns(maxTurnMs)
    for await (const step of watch({ after: start, signal })) {
      lostBefore = step.kind === 'lost'
      if (step.kind === 'lost') return drop(audience, start)
      if (step.kind === 'change') await dropErased(audience, step)
      round.position = step.position
      const sent = step.kind === 'change' ? audience.dispatch(step) : []
      await yieldTurn(sent.length > 0)
      setAsideCongested(audience, sent)
      if (audience.isEmpty() || handOver(round)) return
    }
  }

  function drop(audience: Audience, lost: Position): void {
    for (const client of [...audience.members(), ...waiting].filter(({ position }) => position <= lost)) {
      remove(client)
      onLost(client)
    }
  }

  /** Its clients had entered before the erasure, or the process was away. */
  async function dropErased(audience: Audience, step: ChangeStep): Promise<void> {
    if ((await lastErasures.after(audience, step)) === undefined) return
    dropAll(audience, audience.clientsOf(step.owner))
  }

  function dropAll(audience: Audience, clients: readonly StreamClient[]): void {
    for (const client of clients) {
      audience.delete(client)
      onErased(client)
    }
  }

  function handOver({ audience, position }: { readonly audience: Audience; readonly position: Position }): boolean {
    const live = livePosition()
    if (live === undefined || position < live) return false
    for (const client of audience.members()) {
      audience.flush(client.ownerKey)
      audience.delete(client)
      client.advanceTo(position)
      onCaughtUp(client)
    }
    return true
  }

  /** Sets congested clients aside until they have drained, and then adds them again. */
  function setAsideCongested(audience: Audience, clients: readonly StreamClient[]): void {
    for (const client of clients.filter((client) => client.congested && audience.has(client))) {
      audience.delete(client)
      void client.drained().then(() => add(client))
    }
  }

  function remove(client: StreamClient): void {
    waiting.delete(client)
    current?.audience.delete(client)
  }

  return {
    add,
    remove,
    async close(): Promise<void> {
      stop.abort()
      await work
    },
  }
}
