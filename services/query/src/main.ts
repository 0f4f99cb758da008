import process from 'node:process'
import { loadZodWithoutLocales } from '@herald/runtime/zod-without-locales'

await loadZodWithoutLocales()
// A static import would be loaded before.
const { runQuery } = await import('./run-query.ts')
await runQuery(process)
