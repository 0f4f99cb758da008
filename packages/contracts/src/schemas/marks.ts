import { z } from 'zod'
import { limits } from '../base/limits.ts'
import { uuidSchema } from '../base/uuid.ts'
import { locationTypes } from '../base/values.ts'
import { uuidOutput } from './outputs.ts'

/** These fields restrict `all`. */
const restrictions = {
  upTo: uuidSchema.optional(),
  locationType: z.enum(locationTypes).optional(),
  locationId: uuidSchema.optional(),
}
/** The Python client of openapi-generator compares the value of a `const` as text, and refuses `true`. */
const onlyTrue = { type: 'boolean', not: { const: false }, description: 'Only `true`' }

type Restrictions = Readonly<Record<string, z.ZodType>>

/** The body of a bulk mark: some by id, or all, or all that fulfil what else it says. */
function bulkSchema<Shape extends Restrictions>(shape: Shape) {
  const names = Object.keys(shape)
  return z
    .strictObject({
      ids: z
        .array(uuidSchema)
        .min(1, { error: 'Must name at least one notification' })
        .max(limits.markedIds, { error: `Must name at most ${limits.markedIds} notifications` })
        .optional(),
      all: z.literal(true).meta({ wireSchema: onlyTrue }).optional(),
      ...shape,
    })
    .superRefine((body: Readonly<Record<string, unknown>>, context) => {
      if ((body.ids === undefined) === (body.all === undefined)) {
        context.addIssue({ code: 'custom', message: 'Must have either ids or all' })
      }
      for (const name of body.all === undefined ? names : []) {
        if (body[name] !== undefined)
          context.addIssue({ code: 'custom', path: [name], message: 'Only allowed with all' })
      }
    })
    .meta({
      // One of both: a choice of `required` lists makes useless types of many generators.
      minProperties: 1,
      not: { required: ['ids', 'all'] },
      description: 'Either `ids` or `all`; the others only with `all`',
      dependentRequired: Object.fromEntries(names.map((name) => [name, ['all']])),
    })
}

/** The body of `POST /notifications/read` and of `POST /notifications/unarchived`. */
export const markManySchema = bulkSchema(restrictions)

/** The body of `POST /notifications/archived`. */
export const archiveManySchema = bulkSchema({ ...restrictions, status: z.enum(['read']).optional() })

/** The body of `POST /notifications/seen`, which may be absent. */
export const markSeenSchema = z.strictObject({ upTo: uuidSchema.optional() }).optional()

const countSchema = z.int().nonnegative()
const counts = { unreadCount: countSchema, unseenCount: countSchema }
const seenUpTo = uuidOutput.nullable().meta({
  description: 'The newest notification that was seen; `null` before the first call that marks any as seen',
})

export const markedSchema = z.object({ data: z.object({ updated: countSchema, ...counts }) })

export const seenSchema = z.object({ data: z.object({ unseenCount: countSchema, seenUpTo }) })

export const unreadCountSchema = z.object({ data: z.object({ ...counts, seenUpTo }) })
