import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { mutants, type Patch } from './mutants.ts'

// Preloaded into an ingest process by the suite, before its own modules: turns it into the mutant HERALD_MUTANT.
const mutant = mutants.find(({ name }) => name === process.env.HERALD_MUTANT)
if (!mutant) throw new Error(`Unknown mutant: ${process.env.HERALD_MUTANT}`)
const modules = Object.entries(mutant.modules)

registerHooks({
  load(url, context, nextLoad) {
    const found = modules.find(([end]) => url.endsWith(end))
    if (!found) return nextLoad(url, context)
    const [, change] = found
    const source =
      typeof change === 'string'
        ? `export * from ${JSON.stringify(new URL(change, import.meta.url).href)}`
        : patched(url, change)
    return { format: 'module', shortCircuit: true, source }
  },
})

function patched(url: string, patches: readonly Patch[]): string {
  let source = readFileSync(fileURLToPath(url), 'utf8')
  for (const { find, replace } of patches) {
    if (source.split(find).length !== 2) throw new Error(`Expected exactly one occurrence in ${url}: ${find}`)
    source = source.replace(find, () => replace)
  }
  return source
}
