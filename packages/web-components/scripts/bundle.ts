// Bundles both components and their dependencies into one file, for pages without a bundler.
import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** Size limit with gzip; raise it deliberately. */
const MAX_BYTES = 40_000

const outfile = 'dist/herald-inbox.min.js'
await build({
  entryPoints: ['dist/index.js'],
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  legalComments: 'linked',
  outfile,
})
const bytes = gzipSync(await readFile(outfile)).length
if (bytes > MAX_BYTES) throw new Error(`${outfile} has ${bytes} bytes compressed, more than the ${MAX_BYTES} allowed.`)
