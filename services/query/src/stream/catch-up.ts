import type { Logger } from '@herald/runtime'
import type { FeedChanges, Position } from '@herald/store'
import { type Audience, createAudience, type Decode } from './audience.ts'
import type { StreamClient } from './client.ts'
import type { StreamOptions } from './options.ts'
import { backoffMs, breathe, pause } from './pause.ts'

export type CatchUpDependencies = {
  readonly watch: FeedChanges['watch']
  readonly decode: Decode
  readonly livePosition: () => Position | undefined
  /** The client was told everything up to its position, and the live stream is not ahead of it. */
  readonly onCaughtUp: (client: StreamClient) => void
  /** What the client missed can't be told any more. */
  readonly onLost: (client: StreamClient) => void
  readonly logger: Pick<Logger, 'warn'>
  readonly options: Pick<StreamOptions, 'catchUpWindowMs' | 'minPauseMs' | 'maxPauseMs'>
}

const byPosition = (a: StreamClient, b: StreamClient) => (a.position < b.position ? -1 : 1)

/**
 * Tells clients what they missed. All who wait share one change stream from the smallest of their positions on; who comes
 * while it runs joins, if it has not passed his position. As soon as it is no longer behind the live stream everybody is
 * handed over: what both of them tell is told apart by the positions.
 */
export function createCatchUp(dependencies: CatchUpDependencies) {
  const { watch, decode, livePosition, onCaughtUp, onLost, logger, options } = dependencies
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
    if (!isWorking) work = serveAll()
  }

  async function serveAll(): Promise<void> {
    isWorking = true
    await pause(options.catchUpWindowMs, signal)
    for (let failures = 0; waiting.size > 0 && !signal.aborted; ) {
      try {
        await serveSome()
        failures = 0
      } catch (err) {
        if (!signal.aborted) logger.warn({ err, failures, clients: waiting.size }, 'A catch-up broke and begins again')
        await pause(backoffMs(failures++, options), signal)
      }
    }
    isWorking = false
  }

  async function serveSome(): Promise<void> {
    const ordered = [...waiting].sort(byPosition)
    // A position was lost: the next attempt is made half-way, for what is lost there settles all that is older.
    const chosen = ordered.slice(lostBefore ? Math.floor(ordered.length / 2) : 0)
    const start = (chosen[0] as StreamClient).position
    for (const client of chosen) waiting.delete(client)
    const round = { audience: createAudience({ decode, members: chosen }), position: start }
    current = round
    try {
      await tellAll(round)
    } finally {
      current = undefined
      for (const client of round.audience.members()) waiting.add(client)
    }
  }

  async function tellAll(round: { readonly audience: Audience; position: Position }): Promise<void> {
    const { audience } = round
    const start = round.position
    for await (const step of watch({ after: start, signal })) {
      lostBefore = step.kind === 'lost'
      if (step.kind === 'lost') return drop(audience, start)
      round.position = step.position
      if (step.kind === 'change') await holdBack(audience, audience.tell(step))
      if (audience.isEmpty() || handOver(round)) return
    }
  }

  function drop(audience: Audience, lost: Position): void {
    for (const client of [...audience.members(), ...waiting].filter(({ position }) => position <= lost)) {
      remove(client)
      onLost(client)
    }
  }

  function handOver({ audience, position }: { readonly audience: Audience; readonly position: Position }): boolean {
    const live = livePosition()
    if (live === undefined || position < live) return false
    for (const client of audience.members()) {
      audience.tellHeld(client.ownerKey)
      audience.delete(client)
      client.skipTo(position)
      onCaughtUp(client)
    }
    return true
  }

  /** Who can't take more in for now waits aside, and comes back with the position that he has by then. */
  async function holdBack(audience: Audience, clients: readonly StreamClient[]): Promise<void> {
    if (!clients.some(({ congested }) => congested)) return
    await breathe()
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
