import { z } from 'zod'
import { listSetting, textSetting, urlSetting } from '../settings/setting-types.ts'
import { isClaimPath } from './claim-path.ts'
import { readPublicKey } from './public-key.ts'

function claimSetting() {
  return textSetting().refine(isClaimPath, { error: 'Must be a name, or a JSON Pointer, where ~ is written as ~0' })
}

/** Token verification. There is no setting to disable it. */
export const authenticationSettings = {
  AUTH_JWKS_URI: urlSetting()
    .optional()
    .meta({ oneOf: 'keys', description: 'URL of the JSON Web Key Set; this or AUTH_PUBLIC_KEY is required' }),
  AUTH_PUBLIC_KEY: z
    .string()
    .transform((text, context) => {
      const read = readPublicKey(text.replaceAll('\\n', '\n'))
      if (read.ok) return read
      context.addIssue({ code: 'custom', message: read.detail })
      return z.NEVER
    })
    .optional()
    .meta({
      oneOf: 'keys',
      description: 'Public key in PEM (line breaks may be written \\n); this or AUTH_JWKS_URI is required',
    }),
  AUTH_ISSUER: textSetting().meta({ description: 'Required issuer (iss) of tokens' }),
  AUTH_AUDIENCE: textSetting().meta({ description: 'Required audience (aud) of tokens' }),
  AUTH_USER_CLAIM: claimSetting().default('sub').meta({
    description:
      'Claim with the user’s UUID: a name, or a JSON Pointer in which * is the only member (/organization/*/id)',
  }),
  AUTH_SUBSCRIBER_CLAIM: claimSetting()
    .default('subscriber_id')
    .meta({ description: 'Claim with the subscriber’s UUID, written likewise' }),
  AUTH_SCOPE_CLAIM: claimSetting()
    .default('scope')
    .meta({ description: 'Claim with the scopes, one text or a list of texts, written likewise' }),
  // `at+jwt` is the type of RFC 9068. Logout tokens and other kinds have types of their own.
  AUTH_TOKEN_TYPES: listSetting()
    .default(['JWT', 'at+jwt'])
    .meta({ description: 'Accepted types (typ) of tokens that have one, comma-separated' }),
}

export type AuthenticationSettings = z.output<z.ZodObject<typeof authenticationSettings>>
