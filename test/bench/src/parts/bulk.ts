import type { Part } from '../part.ts'
import { measureExport } from './bulk/export.ts'
import { measureMarkAll } from './bulk/mark-all.ts'

/** Operations on very many documents: marking all as read, and exporting the change log. */
export const bulk: Part = {
  name: 'bulk',
  about: 'mark 100,000 read at once, and export 1,000,000 change entries',
  rounds: 5,
  run: async (context) => [...(await measureMarkAll(context)), ...(await measureExport(context))],
}
