import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the build of `packages/demo` leaves its page. It is found by its place: a package that it needs is tested with this one. */
const folder = fileURLToPath(new URL('../../../demo/dist/', import.meta.url))

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
}

export const demoFiles = [
  'index.html',
  'demo.js',
  'demo.js.map',
  'demo.css',
  'demo.css.map',
  'people/amara.svg',
  'people/jonas.svg',
  'people/mei.svg',
] as const

/** A file of the demo's page, as it was built last. */
export async function readDemoFile(name: (typeof demoFiles)[number]) {
  return { type: types[extname(name)] ?? 'application/octet-stream', content: await readFile(join(folder, name)) }
}
