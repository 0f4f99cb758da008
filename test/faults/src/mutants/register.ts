import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { limits } from './limits.ts'
import { mutants, type Patch } from './mutants.ts'

// Preloaded into a process of Herald by the suite, before its own modules: makes the changes that HERALD_CHANGES names.
const modules = (process.env.HERALD_CHANGES ?? '').split(',').flatMap((wanted) => {
  const change = [limits, ...mutants].find(({ name }) => name === wanted)
  if (!change) throw new Error(`Unknown change: ${wanted}`)
  return Object.entries(change.modules)
})

registerHooks({
  load(url, context, nextLoad) {
    const found = modules.filter(([end]) => url.endsWith(end)).map(([, change]) => change)
    const replacement = found.find((change) => typeof change === 'string')
    if (found.length === 0) return nextLoad(url, context)
    const source = replacement
      ? `export * from ${JSON.stringify(new URL(replacement, import.meta.url).href)}`
      : patched(url, found.filter((change) => typeof change !== 'string').flat())
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
