import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Mapping, mappingFileSchema, toValidationIssues } from '@herald/contracts'
import type { Document, Node } from 'yaml'

export type Mappings = ReadonlyMap<string, Mapping>
export type MappingsRead =
  | { readonly ok: true; readonly mappings: Mappings }
  | { readonly ok: false; readonly issues: readonly string[] }

const longestFile = 1024 * 1024

/** Loaded with the first file: most processes have none, and it is 70 modules. */
const yaml = (): typeof import('yaml') => createRequire(import.meta.url)('yaml')

/** Reads a mapping file. Every issue is one line with its place: `mappings.yaml:3:5: /topics/…: Required`. */
export function readMappingFile(file: string): MappingsRead {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { ok: false, issues: [`${file}: Could not be read (${code ?? error})`] }
  }
  return parseMappings(text, file)
}

export function parseMappings(text: string, name: string): MappingsRead {
  if (text.length > longestFile) return { ok: false, issues: [`${name}: Larger than 1 MiB`] }
  const { LineCounter, parseDocument } = yaml()
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${name}:${line}:${col}`
  }
  if (document.errors.length > 0) {
    return { ok: false, issues: document.errors.map(({ pos, message }) => `${placeAt(pos[0])}: ${message}`) }
  }
  const parsed = mappingFileSchema.safeParse(toValue(document))
  if (parsed.success) return { ok: true, mappings: new Map(Object.entries(parsed.data.topics)) }
  const issues = toValidationIssues(parsed.error).map(
    ({ pointer, detail }) => `${placeAt(offsetOf(document, pointer))}: ${pointer || '/'}: ${detail}`,
  )
  return { ok: false, issues }
}

/** Too many aliases, which could make a small file huge, throw here. They become an invalid value. */
function toValue(document: Document): unknown {
  try {
    return document.toJS()
  } catch {
    return undefined
  }
}

/** The place of the key at a JSON Pointer in the file, or of its closest parent that exists. */
function offsetOf(document: Document, pointer: string): number {
  let node: unknown = document.contents
  let offset = startOf(node)
  for (const segment of pointer.split('/').slice(1)) {
    const name = segment.replaceAll('~1', '/').replaceAll('~0', '~')
    const next = childOf(node, name)
    if (next === undefined) break
    offset = startOf(next.place)
    node = next.value
  }
  return offset
}

function childOf(node: unknown, name: string): { place: unknown; value: unknown } | undefined {
  const { isMap, isPair } = yaml()
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => String((key as Node & { value?: unknown })?.value) === name)
    return isPair(pair) ? { place: pair.key, value: pair.value } : undefined
  }
  const value = (node as { items?: unknown[] } | null)?.items?.[Number(name)]
  return value === undefined ? undefined : { place: value, value }
}

const startOf = (node: unknown): number => (node as Node | null)?.range?.[0] ?? 0
