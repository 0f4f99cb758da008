import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The build output of `packages/demo`. Not a dependency: that would be a cycle, since tests of its packages use this one. */
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

/** Reads a built file of the demo. */
export async function readDemoFile(name: (typeof demoFiles)[number]) {
  return { type: types[extname(name)] ?? 'application/octet-stream', content: await readFile(join(folder, name)) }
}
