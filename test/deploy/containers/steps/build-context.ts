import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files that `docker build` sends: those of a folder that its .dockerignore leaves. */
export function filesOfContext(folder: string): string[] {
  const rules = readFileSync(join(folder, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => ({ keeps: line.startsWith('!'), pattern: line.replace('!', ''), matches: toRegExp(line) }))
  const isLeft = (path: string) => rules.findLast(({ matches }) => matches.test(path))?.keeps ?? true
  const mayHold = (path: string) => rules.some(({ keeps, pattern }) => keeps && pattern.startsWith(`${path}/`))

  const walk = (parent: string): string[] =>
    readdirSync(join(folder, parent), { withFileTypes: true }).flatMap((entry) => {
      const path = join(parent, entry.name)
      if (!entry.isDirectory()) return isLeft(path) ? [path] : []
      return isLeft(path) || mayHold(path) ? walk(path) : []
    })
  return walk('')
}

/** A pattern also matches everything in a folder that it matches. */
function toRegExp(pattern: string): RegExp {
  const inner = pattern
    .replace('!', '')
    .replace(/[.+^$()|{}]/g, '\\$&')
    .replace(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(?:.*/)?'))
  return new RegExp(`^${inner}(?:/.*)?$`)
}
