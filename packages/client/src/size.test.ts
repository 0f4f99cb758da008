import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { build } from 'esbuild'

const bundle = async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('index.ts', import.meta.url))],
    // Makes the build fail if a module of Node.js is imported.
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
  })
  return { bytes: outputFiles[0]?.contents ?? new Uint8Array(), files: Object.keys(metafile.inputs) }
}

test('the whole client is at most 7 KiB with gzip', async () => {
  const { bytes } = await bundle()
  const size = gzipSync(bytes, { level: 9 }).length
  expect(size).toBeGreaterThan(1_000)
  expect(size).toBeLessThanOrEqual(7 * 1024)
})

test('the bundle contains only the client and the event parser', async () => {
  const { files } = await bundle()
  const packages = new Set(files.map((file) => /node_modules\/(.+?)\/(?!.*node_modules)/.exec(file)?.[1] ?? 'own'))
  expect([...packages].sort()).toEqual(['eventsource-parser', 'own'])
})
