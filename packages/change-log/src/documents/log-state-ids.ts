/** The keys of what `log-state` has for single logs. */
export type LogStateKind = 'conflict' | 'accepted' | 'witnessed'

export const logStateId = (kind: LogStateKind, subscriberId: string) => `${kind}/${subscriberId}` as const

/** Selects the ids of all logs. The character behind `/` is `0`. */
export const logStateIds = (kind: LogStateKind) => ({ $gt: `${kind}/`, $lt: `${kind}0` })

export const subscriberIn = (id: string) => id.slice(id.indexOf('/') + 1)
