import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { build } from 'esbuild'

const bundle = async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('index.ts', import.meta.url))],
    // A module of Node.js would fail here.
    ...{ platform: 'browser', format: 'esm', target: 'es2022' },
    ...{ bundle: true, minify: true, write: false, metafile: true },
  })
  return { bytes: outputFiles[0]?.contents ?? new Uint8Array(), files: Object.keys(metafile.inputs) }
}

test('a page pays for the whole client with at most 5 KiB', async () => {
  const { bytes } = await bundle()
  const size = gzipSync(bytes, { level: 9 }).length
  expect(size).toBeGreaterThan(1_000)
  expect(size).toBeLessThanOrEqual(5 * 1024)
})

test('nothing but the client and the parser of events is in it', async () => {
  const { files } = await bundle()
  const packages = new Set(files.map((file) => /node_modules\/(.+?)\/(?!.*node_modules)/.exec(file)?.[1] ?? 'own'))
  expect([...packages].sort()).toEqual(['eventsource-parser', 'own'])
})
