import { z } from 'zod'
import { limits } from '../base/limits.ts'
import { uuidSchema } from '../base/uuid.ts'

/** The body of `POST /notifications/read`: some by id, all, or all up to one of them in list order. */
export const markReadSchema = z
  .strictObject({
    ids: z
      .array(uuidSchema)
      .min(1, { error: 'Must name at least one notification' })
      .max(limits.markedIds, { error: `Must name at most ${limits.markedIds} notifications` })
      .optional(),
    all: z.literal(true).optional(),
    upTo: uuidSchema.optional(),
  })
  .superRefine(({ ids, all, upTo }, context) => {
    if ((ids === undefined) === (all === undefined)) {
      context.addIssue({ code: 'custom', message: 'Must have either ids or all' })
    }
    if (upTo !== undefined && all === undefined) {
      context.addIssue({ code: 'custom', path: ['upTo'], message: 'Only allowed with all' })
    }
  })
  .meta({ oneOf: [{ required: ['ids'] }, { required: ['all'] }], dependentRequired: { upTo: ['all'] } })

const countSchema = z.int().nonnegative()

export const markedReadSchema = z.object({ data: z.object({ updated: countSchema, unreadCount: countSchema }) })

export const unreadCountSchema = z.object({ data: z.object({ unreadCount: countSchema }) })
