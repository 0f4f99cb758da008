export const sealHelp = `Usage: node services/query/dist/seal.js --accept-restore <subscriberId>…
       node services/query/dist/seal.js --accept-restore --all
       node services/query/dist/seal.js [--accept-key]

Without --accept-restore, assigns the recorded order of change entries and seals their logs.

--accept-key starts although another key than LOG_SIGNING_KEY and LOG_SIGNING_KEY_PREVIOUS is in use. Give it once, when that
key is lost or was stolen.

--accept-restore accepts that change logs were restored from a backup, so that they are sealed again: what
KAFKA_CHECKPOINT_TOPIC has of them up to now is not compared any more. From then on, two checkpoints of one size may disagree:
the topic shows it. --all accepts every log that is stopped. It has the settings of seal.js, and works while sealers run, which
go on with the logs within an interval.

Exit codes of --accept-restore: 0 all of them go on, 1 could not be decided, 2 wrong usage, 3 there is nothing to accept, 4 no
restore explains the conflict of one
`

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export type Arguments =
  | { readonly kind: 'help' | 'usage' }
  | { readonly kind: 'serve'; readonly acceptKey: boolean }
  | { readonly kind: 'accept'; readonly subscriberIds: readonly string[] | 'all' }

/** Reads the arguments of `seal.js`. */
export function readArguments([option, ...words]: readonly string[]): Arguments {
  if (option === undefined) return { kind: 'serve', acceptKey: false }
  if (option === '--accept-key' && words.length === 0) return { kind: 'serve', acceptKey: true }
  if (option === '--help' && words.length === 0) return { kind: 'help' }
  if (option !== '--accept-restore' || words.length === 0) return { kind: 'usage' }
  if (words.length === 1 && words[0] === '--all') return { kind: 'accept', subscriberIds: 'all' }
  const subscriberIds = [...new Set(words.map((word) => word.toLowerCase()))]
  return subscriberIds.every((word) => uuid.test(word)) ? { kind: 'accept', subscriberIds } : { kind: 'usage' }
}
