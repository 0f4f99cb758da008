import { z } from 'zod'

/** Times and ids as responses contain them. */
export const timestampOutput = z.string().meta({ format: 'date-time', examples: ['2026-01-31T09:30:00Z'] })
export const uuidOutput = z.string().meta({ format: 'uuid' })
