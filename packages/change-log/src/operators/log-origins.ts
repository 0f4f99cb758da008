import { formatVerifierKey, keyNameOf, publicKeyOf } from '@herald/sealed-log'
import type { LogSources } from '../documents/collections.ts'
import { eachLog } from '../sealing/each-log.ts'
import { createSealingState } from '../sealing/sealing-state.ts'

/**
 * Lists the origins of all logs, each as the verifier key that signs it at present. One read a log.
 *
 * @returns `undefined` until a sealer with a key has run
 */
export function createLogOrigins({
  logPages,
  logState,
  logCheckpoints,
}: Pick<LogSources, 'logPages' | 'logState' | 'logCheckpoints'>) {
  const state = createSealingState(logState, logCheckpoints)
  return async (): Promise<AsyncGenerator<string, void, void> | undefined> => {
    const found = await state.read()
    const raw = found?.keys[0]
    if (found === undefined || raw === undefined) return undefined
    const key = publicKeyOf(raw)
    async function* origins(origin: string) {
      for await (const subscriberIds of eachLog(logPages)) {
        for (const subscriberId of subscriberIds) yield formatVerifierKey(keyNameOf(origin, subscriberId), key)
      }
    }
    return origins(found.origin)
  }
}
