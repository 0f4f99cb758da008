import { z } from 'zod'
import { timestampSchema } from '../base/timestamp.ts'
import { uuidSchema } from '../base/uuid.ts'
import { timestampOutput, uuidOutput } from './outputs.ts'

/** A user can mute a location, whatever its type, or an actor. */
export const muteKinds = ['location', 'actor'] as const
export type MuteKind = (typeof muteKinds)[number]

export const muteParamsSchema = z.strictObject({
  kind: z.enum(muteKinds).meta({ description: 'What is muted: `location` or `actor`' }),
  id: uuidSchema.meta({ description: 'The UUID of the location, whatever its type, or of the actor' }),
})

/** The body of `PUT /mutes/{kind}/{id}`; without `until`, and with `null`, it holds for good. */
export const muteSchema = z.strictObject({ until: timestampSchema.nullish() })

const storedMuteSchema = z.object({ kind: z.enum(muteKinds), id: uuidOutput, until: timestampOutput.nullable() })

export const muteResponseSchema = z.object({ data: storedMuteSchema })

export const mutesSchema = z.object({ data: z.object({ mutes: z.array(storedMuteSchema) }) })
