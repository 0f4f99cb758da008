import process from 'node:process'
import { loadZodWithoutLocales } from '@herald/runtime/zod-without-locales'

await loadZodWithoutLocales()
// A static import would be loaded before.
const { runIngest } = await import('./run-ingest.ts')
await runIngest(process)
