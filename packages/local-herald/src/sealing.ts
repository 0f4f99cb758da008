import { generateKeyPairSync } from 'node:crypto'

/** The settings of a process that seals the change log. No other process has them. */
export type SealingSettings = {
  readonly LOG_SIGNING_KEY: string
  readonly LOG_SIGNING_KEY_PREVIOUS?: string
  readonly LOG_ORIGIN: string
  readonly SEAL_INTERVAL_SECONDS?: string
  readonly KAFKA_CHECKPOINT_TOPIC?: string
  readonly LOG_WITNESS_POLICY?: string
}

/** Settings with a new key and a short interval. Without a topic, checkpoints are only in MongoDB. */
export function createSealing(checkpointTopic?: string): SealingSettings {
  const { privateKey } = generateKeyPairSync('ed25519')
  return {
    LOG_SIGNING_KEY: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    LOG_ORIGIN: 'localhost/herald',
    SEAL_INTERVAL_SECONDS: '5',
    ...(checkpointTopic === undefined ? {} : { KAFKA_CHECKPOINT_TOPIC: checkpointTopic }),
  }
}
