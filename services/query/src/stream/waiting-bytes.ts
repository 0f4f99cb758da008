import type { Budget } from '@herald/runtime'
import type { StreamClient } from './client.ts'

/** Bounds the bytes that wait for the readers of all streams. The streams with the most waiting bytes are cut first. */
export function createWaitingBytes(budget: Budget) {
  const releases = new Map<StreamClient, () => void>()
  const changed = new Set<StreamClient>()
  let isPlanned = false

  function forget(client: StreamClient): void {
    releases.get(client)?.()
    releases.delete(client)
  }

  function hold(client: StreamClient): boolean {
    const { subscriberId, recipientId: userId } = client.owner
    forget(client)
    if (client.waitingBytes === 0) return true
    const taken = budget.take({ subscriberId, userId }, client.waitingBytes)
    if (taken.ok) releases.set(client, taken.release)
    return taken.ok
  }

  function look(): void {
    isPlanned = false
    const clients = [...changed]
    changed.clear()
    const fit = clients.filter(hold).length === clients.length
    if (fit) return
    const all = [...new Set([...releases.keys(), ...clients])]
    for (const client of all) forget(client)
    for (const client of all.sort((a, b) => a.waitingBytes - b.waitingBytes)) if (!hold(client)) client.cutOff()
  }

  return {
    /** To call after each write and drain. The look is a turn later, when the sockets have written what they can. */
    onChange(client: StreamClient): void {
      changed.add(client)
      if (isPlanned) return
      isPlanned = true
      setImmediate(look)
    },
    forget(client: StreamClient): void {
      forget(client)
      changed.delete(client)
    },
  }
}
