import {
  brokersSetting,
  checkSasl,
  connectionSettings,
  notificationTopicSetting,
  topicNames,
  topicSetting,
  topicSettings,
} from '@herald/kafka'
import { adminSettings, integerSetting, observationSettings, retentionSettings, storageSettings } from '@herald/runtime'
import { readSigningKey, whyNotAnOrigin } from '@herald/sealed-log'
import { z } from 'zod'
import { readPolicyFile } from './policy-file.ts'

const keySetting = () =>
  z.string().transform((text, context) => {
    // An environment file has no line breaks within a value.
    const read = readSigningKey(text.replaceAll('\\n', '\n'))
    if (read.ok) return read.key
    context.addIssue({ code: 'custom', message: read.detail })
    return z.NEVER
  })

const policySetting = () =>
  z.string().transform((file, context) => {
    const read = readPolicyFile(file)
    if (read.ok) return read.policy
    context.addIssue({ code: 'custom', message: read.detail })
    return z.NEVER
  })

const sealingSettings = {
  LOG_SIGNING_KEY: keySetting().optional().meta({
    description: 'Ed25519 private key in PKCS#8 PEM (line breaks may be written \\n); nothing is sealed if unset',
  }),
  LOG_SIGNING_KEY_PREVIOUS: keySetting()
    .optional()
    .meta({ description: 'The key before, which signs too during a rotation' }),
  LOG_ORIGIN: z
    .string()
    .superRefine((text, context) => {
      const message = whyNotAnOrigin(text)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    })
    .optional()
    .meta({ description: 'First part of the names of logs, as log.example.com/herald; required with LOG_SIGNING_KEY' }),
  SEAL_INTERVAL_SECONDS: integerSetting({ min: 1, max: 86_400 })
    .default(60)
    .meta({ description: 'Seconds between two checkpoints of a log, at least' }),
  LOG_WITNESS_POLICY: policySetting().optional().meta({
    description: 'File with the witnesses that cosign checkpoints, and their quorum (C2SP tlog-policy); off if unset',
  }),
  KAFKA_CHECKPOINT_TOPIC: topicSetting().optional().meta({ description: 'Topic for checkpoints; off if unset' }),
  KAFKA_BROKERS: brokersSetting()
    .optional()
    .meta({ description: 'Kafka brokers as host:port, comma-separated; required with KAFKA_CHECKPOINT_TOPIC' }),
  ...connectionSettings,
  ...topicSettings,
  ...notificationTopicSetting,
}

type Checked = Partial<z.output<z.ZodObject<typeof sealingSettings>>>

/** Compares settings, also if single ones are invalid, so that all faults are named at once. */
function checkTogether(settings: Checked, context: z.RefinementCtx): void {
  const reject = (name: keyof Checked, message: string) => context.addIssue({ code: 'custom', path: [name], message })
  const { LOG_SIGNING_KEY: key, LOG_SIGNING_KEY_PREVIOUS: previous, LOG_ORIGIN: origin } = settings
  if (key !== undefined && origin === undefined) reject('LOG_ORIGIN', 'Required with LOG_SIGNING_KEY')
  if (key === undefined && origin !== undefined) reject('LOG_SIGNING_KEY', 'Required with LOG_ORIGIN')
  if (key === undefined && previous !== undefined) {
    reject('LOG_SIGNING_KEY', 'Required with LOG_SIGNING_KEY_PREVIOUS')
  }
  if (key === undefined && settings.LOG_WITNESS_POLICY !== undefined) {
    reject('LOG_SIGNING_KEY', 'Required with LOG_WITNESS_POLICY')
  }
  // One that could not be read has none.
  if (previous?.publicKey !== undefined && key?.publicKey?.equals(previous.publicKey)) {
    reject('LOG_SIGNING_KEY_PREVIOUS', 'Must not be the same key as LOG_SIGNING_KEY')
  }
  const topic = settings.KAFKA_CHECKPOINT_TOPIC
  if (topic !== undefined) {
    if (settings.KAFKA_BROKERS === undefined) reject('KAFKA_BROKERS', 'Required with KAFKA_CHECKPOINT_TOPIC')
    const other = topicNames.find((name) => settings[name] === topic)
    if (other !== undefined) reject('KAFKA_CHECKPOINT_TOPIC', `Must not be the same topic as ${other}`)
  }
  checkSasl(settings, reject)
}

export const sealSettingsSchema = z
  .object({
    ...adminSettings({ adminPort: 9003 }),
    ...observationSettings,
    ...storageSettings,
    ...retentionSettings,
    ...sealingSettings,
  })
  .superRefine(checkTogether, { when: () => true })
export type SealSettings = z.output<typeof sealSettingsSchema>
