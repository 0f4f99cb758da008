import { readFile } from 'node:fs/promises'
import { z } from 'zod'

const rate = z.number().positive().max(100_000)

/** The systems under test, and the load. */
export const targetSchema = z
  .strictObject({
    kafka: z.strictObject({
      brokers: z.array(z.string()).min(1),
      ssl: z.boolean().default(false),
      sasl: z
        .strictObject({
          mechanism: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']),
          username: z.string(),
          password: z.string(),
        })
        .optional(),
    }),
    mentionTopic: z.string().default('mention-events'),
    /** The query service, or the gateway. */
    queryUrl: z.url(),
    tokens: z
      .strictObject({
        /** A private key in PKCS #8 (PEM) whose public key the services accept. */
        privateKeyFile: z.string(),
        algorithm: z.string().default('ES256'),
        keyId: z.string().optional(),
        issuer: z.string(),
        audience: z.string().default('herald'),
        subscriberClaim: z.string().default('subscriber_id'),
      })
      .optional(),
    /** An issuer for development, such as that of docker-compose.yml, instead of `tokens`. It issues tokens to loopback only. */
    tokenIssuerUrl: z.url().optional(),
    /** Where the documents of the throw-away subscriber are deleted at the end; they stay if it is missing. */
    mongodb: z.strictObject({ uri: z.string(), database: z.string().default('herald') }).optional(),
    load: z.prefault(
      z.strictObject({
        /** At most ten minutes. */
        seconds: z.number().positive().max(600).default(60),
        users: z.int().min(1).max(100_000).default(200),
        recipients: z.int().min(1).max(100).default(3),
        streams: z.int().min(0).default(50),
        eventsPerSecond: rate.default(100),
        pagesPerSecond: rate.default(50),
      }),
      {},
    ),
  })
  .refine(({ tokens, tokenIssuerUrl }) => (tokens === undefined) !== (tokenIssuerUrl === undefined), {
    path: ['tokens'],
    error: 'Either tokens or tokenIssuerUrl is required, not both',
  })
export type Target = z.output<typeof targetSchema>

/** @throws Error with the path of each invalid setting */
export async function readTarget(file: string): Promise<Target> {
  const found = targetSchema.safeParse(JSON.parse(await readFile(file, 'utf8')))
  if (found.success) return found.data
  throw new Error(`${file} is invalid:\n${z.prettifyError(found.error)}`)
}
