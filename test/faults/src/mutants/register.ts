import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { mutants, type Patch } from './mutants.ts'

// Loaded into an ingest process before its own modules, by the suite alone: makes it the mutant that is named.
const mutant = mutants.find(({ name }) => name === process.env.HERALD_MUTANT)
if (!mutant) throw new Error(`There is no mutant ${process.env.HERALD_MUTANT}.`)
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
    if (source.split(find).length !== 2) throw new Error(`${url} does not hold once: ${find}`)
    source = source.replace(find, () => replace)
  }
  return source
}
