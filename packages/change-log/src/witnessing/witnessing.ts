import type { MonotonicClock } from '@herald/mongo'
import { checkQuorum, proveConsistency, type WitnessPolicy } from '@herald/sealed-log'
import type { LogSources } from '../documents/collections.ts'
import { createCheckpoints, type SignedCheckpoint } from '../sealing/checkpoints.ts'
import { createLogLeaves } from '../sealing/leaves.ts'
import type { Witnessing } from '../sealing/sealer.ts'
import { createTreeNodes } from '../sealing/tree-nodes.ts'
import { type Submitted, submit } from './submit.ts'
import { type AskedWitness, storedNameOf } from './witness.ts'
import { createWitnessQueue, type QueueOutcome } from './witness-queue.ts'
import { createWitnessedLogs } from './witnessed-logs.ts'

export type WitnessingOptions = {
  readonly policy: WitnessPolicy
  readonly witnesses: readonly AskedWitness[]
  readonly listener: WitnessListener
}

type WitnessListener = {
  /** After each request, or the requests of one submission. */
  onAnswer(witness: string, subscriberId: string, submitted: Submitted): void
  /** MongoDB failed. The log is tried again. */
  onFailure(error: unknown, subscriberId: string): void
}

export type StartedWitnessing = Witnessing & {
  /** For how long each witness has lacked a checkpoint. */
  lags(): readonly { readonly witness: string; readonly seconds: number }[]
}

type Dependencies = Pick<LogSources, 'logPages' | 'logNodes' | 'logCheckpoints' | 'logState'> & {
  readonly now: () => Date
  readonly clock?: MonotonicClock
}

/** Has checkpoints cosigned by the witnesses of a policy, each in its own time. */
export function createWitnessing({ logPages, logNodes, logCheckpoints, logState, now, clock }: Dependencies) {
  const checkpoints = createCheckpoints(logCheckpoints, now)
  const nodes = createTreeNodes(logNodes, createLogLeaves(logPages))
  const witnessed = createWitnessedLogs(logState)

  return ({ policy, witnesses, listener }: WitnessingOptions): StartedWitnessing => {
    let onReleased: (subscriberId: string) => void = () => {}
    const hasQuorum = (note: string) => checkQuorum(note, policy).ok
    const queues = witnesses.map((witness) => {
      const queue = createWitnessQueue({ clock, ask: (id, signal) => ask(id, signal).catch(failure(id)) })
      const failure = (subscriberId: string) => (error: unknown) => {
        listener.onFailure(error, subscriberId)
        return 'failed' as const
      }

      async function ask(subscriberId: string, signal: AbortSignal): Promise<QueueOutcome> {
        const checkpoint = await checkpoints.newestOwn(subscriberId)
        const name = storedNameOf(witness.key)
        if (checkpoint === undefined || checkpoint.cosignedBy.includes(name)) return 'done'
        queue.waitsSince(subscriberId, now().getTime() - checkpoint.sealedAt.getTime())
        const before = (await witnessed.find(subscriberId)).find((one) => one.witness === name)
        const known = { witness: name, size: before?.size ?? 0 }
        const prove = (from: number) => proveConsistency(from, checkpoint.size, nodes.readerOf(subscriberId))
        const submitted = await submit({ witness, checkpoint, knownSize: known.size, prove, signal })
        if (signal.aborted) return 'unavailable'
        listener.onAnswer(witness.name, subscriberId, submitted)
        if (submitted.kind === 'cosigned') {
          await addCosignature(subscriberId, checkpoint, { witness: name, line: submitted.line })
          await witnessed.store(subscriberId, { ...known, size: checkpoint.size })
          return 'done'
        }
        const { kind, reason } = submitted
        const since = before?.since ?? now()
        if (before?.problem !== reason) await witnessed.store(subscriberId, { ...known, problem: reason, since })
        return kind
      }
      return { witness, queue }
    })

    async function addCosignature(
      subscriberId: string,
      checkpoint: SignedCheckpoint,
      cosignature: { readonly witness: string; readonly line: string },
    ): Promise<void> {
      const stored = await checkpoints.addCosignature(subscriberId, checkpoint, cosignature)
      if (!stored?.isHeld || !hasQuorum(stored.note)) return
      await checkpoints.release(subscriberId, stored)
      onReleased(subscriberId)
    }

    return {
      hasQuorum,
      add: (subscriberId) => queues.forEach(({ queue }) => void queue.add(subscriberId)),
      remove: (subscriberId) => queues.forEach(({ queue }) => void queue.remove(subscriberId)),
      start(listen) {
        onReleased = listen
        for (const { queue } of queues) queue.start()
      },
      async stop() {
        await Promise.all(queues.map(({ queue }) => queue.stop()))
      },
      lags: () => queues.map(({ witness, queue }) => ({ witness: witness.name, seconds: queue.lagSeconds() })),
    }
  }
}
