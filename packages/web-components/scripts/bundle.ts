// Bundles both components and their dependencies into one file, for pages without a bundler.
import { glob, readFile, writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { minify } from '@swc/core'
import { build, type Plugin, transform } from 'esbuild'

/** Size limit with gzip; raise it deliberately. */
const MAX_BYTES = 40_000

const outfile = 'dist/herald-inbox.min.js'

/** Properties of states and views, which are shortened: no element, event, text or response has one of these names. */
const internal = `refreshSoon toggleRead toggleGroup markGroup archiveGroup settle moreOf isGrouped isInGroup undoable isScrolled
  showsKeys newSince menuKey currentKey currentId onToggleMutes onLoadMutes onUnmute onFilter onToTop onFocus onFailed onUnclear
  onMuted onActed onNews onChange scrolling isFiltering hasExportFailed onToggleFilters onWhole onExport onDismiss onRefresh
  onMore isWhole onClear exporting scroller sentinel rendered toPanel toItem phase listing pending connection fresh fetched counted
  explained hold onLive moved restoreTo onKeyDown onClosed`

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

/** Leaves out what no component calls: copies of the change log follow it, and verifiers read the sealed one. */
const withoutFollowers: Plugin = {
  name: 'without followers',
  setup({ onLoad }) {
    onLoad({ filter: /client\/dist\/follow-pages\.js$/ }, () => ({ contents: 'export const followPages = 0' }))
    onLoad({ filter: /client\/dist\/transfer-lines\.js$/ }, () => ({ contents: 'export const transferLines = 0' }))
    onLoad({ filter: /client\/dist\/sealed-log\.js$/ }, () => ({ contents: 'export const createSealedLog = () => {}' }))
  },
}

/** Texts, then style sheets, then the rest: gzip finds repetitions within 32 KiB, so what is alike has to be near. */
async function inOrder(): Promise<string> {
  const first = [...(await files('dist/texts/*.js')), ...(await files('dist/**/{*-styles,theme}.js'))]
  return [...first.map((file) => `import './${file}'`), "export * from './dist/index.js'"].join('\n')
}

const files = async (pattern: string) => (await Array.fromAsync(glob(pattern))).sort()

const { outputFiles } = await build({
  stdin: { contents: await inOrder(), resolveDir: '.' },
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'linked',
  // These imports only set the order.
  logOverride: { 'ignored-bare-import': 'silent' },
  mangleProps: new RegExp(`^(${internal.split(/\s+/).join('|')})$`),
  plugins: [templates, withoutFollowers],
  outfile,
  write: false,
})
for (const { path, text } of outputFiles) {
  const isScript = path.endsWith('.js')
  // Names the variables so that more repeats, which makes 2 KB.
  const settings = {
    module: true,
    compress: { passes: 4, inline: 0 },
    mangle: true,
    format: { comments: 'some' },
  } as const
  await writeFile(path, isScript ? (await minify(text, settings)).code : text)
}
const bytes = gzipSync(await readFile(outfile), { level: 9 }).length
if (bytes > MAX_BYTES) throw new Error(`${outfile} has ${bytes} bytes compressed, more than the ${MAX_BYTES} allowed.`)
