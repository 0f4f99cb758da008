// Bundles both components and their dependencies into one file, for pages without a bundler.
import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { build, type Plugin, transform } from 'esbuild'

/** Size limit with gzip; raise it deliberately. */
const MAX_BYTES = 40_000

const outfile = 'dist/herald-inbox.min.js'

/** Minifies style sheets, and the indentation of templates, which esbuild leaves as they are. */
const templates: Plugin = {
  name: 'templates',
  setup({ onLoad }) {
    onLoad({ filter: /web-components\/dist\/.*\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8')
      for (const [template, styles = ''] of contents.matchAll(/\bcss `([^`$]*)`/g)) {
        const { code } = await transform(styles, { loader: 'css', minify: true })
        contents = contents.replace(template, () => `css\`${code.trim().replaceAll('\\', '\\\\')}\``)
      }
      return { contents: contents.replace(/\n\s+/g, '\n') }
    })
  },
}

await build({
  entryPoints: ['dist/index.js'],
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  legalComments: 'linked',
  plugins: [templates],
  outfile,
})
const bytes = gzipSync(await readFile(outfile)).length
if (bytes > MAX_BYTES) throw new Error(`${outfile} has ${bytes} bytes compressed, more than the ${MAX_BYTES} allowed.`)
