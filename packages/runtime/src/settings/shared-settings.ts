import { limits } from '@herald/contracts'
import { z } from 'zod'
import { readPublicKey } from '../auth/public-key.ts'
import { integerSetting, listSetting, originSetting, portSetting, textSetting, urlSetting } from './setting-types.ts'

// `.meta` must be last in each chain: further calls create a schema without it.

/** Logging and tracing. */
export const observationSettings = {
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .meta({ description: 'Minimum log level: fatal, error, warn, info, debug, trace or silent' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: urlSetting()
    .optional()
    .meta({ description: 'OTLP endpoint for traces; tracing is off if unset' }),
}

/** The MongoDB replica set. */
export const storageSettings = {
  MONGODB_URI: z
    .string()
    .refine((text) => /^mongodb(\+srv)?:\/\/[^\s/]+(\/\S*)?$/.test(text), {
      error: 'Must start with mongodb:// or mongodb+srv:// and name a host',
    })
    .meta({ description: 'Connection string of a MongoDB replica set' }),
  MONGODB_DATABASE: z
    .string()
    .refine((text) => /^[^/\\. "$*<>:|?\0]{1,63}$/.test(text), { error: 'Must be the name of a database' })
    .default('herald')
    .meta({ description: 'Name of the database' }),
}

/** Token verification. There is no setting to disable it. */
export const authenticationSettings = {
  AUTH_JWKS_URI: urlSetting()
    .optional()
    .meta({ oneOf: 'keys', description: 'URL of the JSON Web Key Set; this or AUTH_PUBLIC_KEY is required' }),
  AUTH_PUBLIC_KEY: z
    .string()
    .transform((text) => text.replaceAll('\\n', '\n'))
    .superRefine((pem, context) => {
      const read = readPublicKey(pem)
      if (!read.ok) context.addIssue({ code: 'custom', message: read.detail })
    })
    .optional()
    .meta({
      oneOf: 'keys',
      description: 'Public key in PEM (line breaks may be written \\n); this or AUTH_JWKS_URI is required',
    }),
  AUTH_ISSUER: textSetting().meta({ description: 'Required issuer (iss) of tokens' }),
  AUTH_AUDIENCE: textSetting().meta({ description: 'Required audience (aud) of tokens' }),
  AUTH_SUBSCRIBER_CLAIM: textSetting()
    .default('subscriber_id')
    .meta({ description: 'Claim that contains the subscriber id' }),
}

/** The HTTP servers of a service; each service has its own default ports. */
export function httpSettings(defaults: { readonly port: number; readonly adminPort: number }) {
  return {
    HOST: textSetting().default('0.0.0.0').meta({ description: 'Address to listen on' }),
    PORT: portSetting().default(defaults.port).meta({ description: 'Port of the public HTTP server' }),
    ADMIN_PORT: portSetting()
      .default(defaults.adminPort)
      .meta({ description: 'Port of /livez, /readyz and /metrics; never routed by the gateway' }),
    RATE_LIMIT_PER_MINUTE: integerSetting({ min: 1, max: 1_000_000 })
      .default(limits.requestsPerMinute)
      .meta({ description: 'Requests per minute and user, counted per process' }),
    MAX_CONNECTIONS: integerSetting({ min: 1, max: 1_000_000 })
      .default(limits.connections)
      .meta({ description: 'Open connections of the public HTTP server; further ones are closed at once' }),
    CORS_ORIGINS: listSetting(originSetting())
      .default([])
      .meta({ description: 'Allowed CORS origins, comma-separated; none if unset' }),
  }
}

/** Expiry of documents. */
export const retentionSettings = {
  RETENTION_DAYS: integerSetting({ min: 1, max: 36_500 })
    .optional()
    .meta({ description: 'Days until documents expire; never if unset' }),
}
