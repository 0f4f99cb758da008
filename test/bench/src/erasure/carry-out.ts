import process from 'node:process'
import { createStore } from '@herald/store'

// A process of its own, which erase-person.ts measures and kills: carries out all open erasures, as ingest does.
const [, , uri = '', database = ''] = process.argv
const store = createStore({ uri, database, applicationName: 'herald-bench' })
for (const erasure of await store.erasures.open()) {
  for (;;) {
    const startedAt = performance.now()
    const progress = await store.erasures.step(erasure)
    if (progress === undefined || progress.done) break
    const ms = Math.round(performance.now() - startedAt)
    process.stdout.write(`${progress.erased} ${progress.phase} ${ms}\n`)
  }
}
await store.close()
