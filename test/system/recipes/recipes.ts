import { readFileSync } from 'node:fs'

/** A part of a step, which writes a new file, edits one, or runs a command. */
export type Block =
  | { readonly kind: 'file'; readonly path: string; readonly text: string }
  | { readonly kind: 'edit'; readonly path: string; readonly before: string; readonly after: string }
  | { readonly kind: 'run'; readonly command: string }

export type Step = { readonly title: string; readonly blocks: readonly Block[]; readonly check: string }
export type Recipe = { readonly title: string; readonly steps: readonly Step[] }

/** Reads the recipes of CONTRIBUTING.md: `###` starts a recipe, `####` a step with its blocks and its check. */
export function readRecipes(file: URL): Recipe[] {
  const [, recipes = ''] = readFileSync(file, 'utf8').split('\n## Recipes\n')
  return sections(recipes, '###').map(([title, text]) => ({ title, steps: sections(text, '####').map(toStep) }))
}

function sections(text: string, mark: string): [title: string, text: string][] {
  const [, ...parts] = `\n${text}`.split(`\n${mark} `)
  return parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n'))])
}

function toStep([title, text]: [string, string]): Step {
  const check = /^Check: `(.+)`$/m.exec(text)?.[1]
  if (check === undefined) throw new Error(`The step "${title}" has no check`)
  const fences = [...text.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)]
  return {
    title,
    check,
    blocks: fences.map(([, language = '', path = '', body = '']) => toBlock(language, path, body)),
  }
}

function toBlock(language: string, path: string, body: string): Block {
  if (language === 'sh') return { kind: 'run', command: body }
  if (language !== 'diff') return { kind: 'file', path, text: body }
  const lines = body.replace(/\n$/, '').split('\n')
  const without = (mark: '+' | '-') => lines.filter((line) => line[0] !== mark).map((line) => line.slice(1))
  return { kind: 'edit', path, before: without('+').join('\n'), after: without('-').join('\n') }
}
