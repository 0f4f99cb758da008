import { z } from 'zod'
import { uuidSchema } from '../base/uuid.ts'

/** A number of leaves, or the index of one. Its range depends on the log, so the service checks it. */
const indexSchema = (minimum: 0 | 1, description: string) =>
  z
    .string()
    .regex(/^(?:0|-?[1-9][0-9]{0,18})$/, { error: 'Must be a whole number' })
    .transform(Number)
    .meta({ wireSchema: { type: 'integer', minimum, description: `${description}; ${minimum} or more` } })

/** The query of `GET /change-entries/checkpoint/consistency`. */
export const consistencyQuerySchema = z.strictObject({
  from: indexSchema(0, 'The smaller size; from 0 there is nothing to prove'),
  to: indexSchema(1, 'The larger size; that of the newest checkpoint if absent').optional(),
})

/** The query of `GET /change-entries/sealed`. */
export const exportSealedLogQuerySchema = z.strictObject({
  from: indexSchema(0, 'The index of the first leaf; 0 if absent').optional(),
  to: indexSchema(0, 'The index behind the last leaf; the end of the log if absent').optional(),
})

export const changeEntryParamsSchema = z.strictObject({
  changeEntryId: uuidSchema.meta({ description: 'The UUID of the change entry' }),
})

const checkpoint = z.string().meta({ description: 'A signed checkpoint (C2SP tlog-checkpoint)' })
const hash = z.string().meta({ description: 'Base64 of 32 bytes' })
const index = z.int().nonnegative()

export const checkpointSchema = z.object({ data: z.object({ checkpoint }) })

export const checkpointKeysSchema = z.object({
  data: z.object({
    keys: z.array(z.string()).meta({
      description: 'Verifier keys (C2SP signed-note) of all that ever signed, the present one first',
    }),
  }),
})

export const consistencySchema = z.object({
  data: z.object({
    from: index,
    to: index,
    hashes: z.array(hash).meta({ description: 'The proof (RFC 9162, section 2.1.4)' }),
    checkpoint: checkpoint.meta({ description: 'The signed checkpoint of size `to`' }),
  }),
})

export const changeEntryProofSchema = z.object({
  data: z.object({
    leafIndex: index,
    treeSize: index.meta({ description: 'The size in `checkpoint`' }),
    salt: hash,
    userSalt: hash.nullable().meta({ description: 'Base64 of 32 bytes; `null` once the user was erased' }),
    userHash: hash,
    leafHash: hash,
    hashes: z.array(hash).meta({ description: 'The proof (RFC 9162, section 2.1.3)' }),
    checkpoint,
  }),
})
