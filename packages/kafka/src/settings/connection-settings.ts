import { booleanSetting, listSetting, textSetting } from '@herald/runtime'
import { z } from 'zod'

export const topicSetting = () =>
  z.string().regex(/^[A-Za-z0-9._-]{1,249}$/, { error: 'Must be the name of a Kafka topic' })

export const brokersSetting = () =>
  listSetting(z.string().regex(/^[^\s:]+:\d{1,5}$/, { error: 'Must be a comma-separated list of host:port' }))

/** How to connect to the brokers, beside their addresses. */
export const connectionSettings = {
  KAFKA_SSL: booleanSetting().default(false).meta({ description: 'Whether to connect to the brokers over TLS' }),
  KAFKA_SASL_MECHANISM: z
    .enum(['plain', 'scram-sha-256', 'scram-sha-512'])
    .optional()
    .meta({ description: 'plain, scram-sha-256 or scram-sha-512; requires username and password' }),
  KAFKA_SASL_USERNAME: textSetting().optional().meta({ description: 'SASL username' }),
  KAFKA_SASL_PASSWORD: textSetting().optional().meta({ description: 'SASL password' }),
}

export type ConnectionSettings = z.output<z.ZodObject<typeof connectionSettings>> & {
  readonly KAFKA_BROKERS: readonly string[]
}

const saslNames = ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] as const
type SaslName = (typeof saslNames)[number]

/** Either all SASL settings are set or none. */
export function checkSasl(
  settings: Readonly<Partial<Record<SaslName, unknown>>>,
  reject: (name: SaslName, message: string) => void,
): void {
  const missing = saslNames.filter((name) => settings[name] === undefined)
  if (missing.length === saslNames.length) return
  for (const name of missing) reject(name, 'Required with the other KAFKA_SASL settings')
}
