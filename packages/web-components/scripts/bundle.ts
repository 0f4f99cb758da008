// Bundles both components together and each alone, with their dependencies, for pages without a bundler.
import { glob, readFile, writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { minify } from '@swc/core'
import { build, type Plugin, transform } from 'esbuild'

type Bundle = {
  readonly entry: string
  readonly outfile: string
  /** Part of the names of files that belong to the other component alone. */
  readonly other?: string
  /** Size limit with gzip; raise it deliberately. */
  readonly maxBytes: number
}

const bundles: readonly Bundle[] = [
  { entry: 'index', outfile: 'herald-inbox.min.js', maxBytes: 48_000 },
  { entry: 'inbox-element', outfile: 'herald-inbox-only.min.js', other: 'change-log', maxBytes: 35_500 },
  { entry: 'change-log-element', outfile: 'herald-change-log.min.js', other: 'inbox', maxBytes: 29_500 },
]

/** Properties of states and views, which are shortened: no element, event, text or response has one of these names. */
const internal = `refreshSoon toggleRead settle isGrouped isInGroup undoable isScrolled
  showsKeys newSince menuKey currentKey currentId onToggleMutes onLoadMutes onUnmute onFilter onToTop onFocus onFailed onUnclear
  onMuted onActed onNews onChange scrolling sealOf onCheck onSaveProof isFiltering hasExportFailed onToggleFilters onWhole onExport onDismiss onRefresh
  onMore isWhole onClear exporting scroller sentinel rendered toPanel toItem phase listing pending connection fresh fetched counted
  explained hold onLive moved restoreTo onKeyDown onClosed heardAt failures blocked dueAt streamAt checkAt checkedAt isReached
  isVerifying isLevel isShown onPhase onCounts onOtherUser onOther onRefused onToken`

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

/** Methods of the client that no component calls. */
const uncalled =
  'iterate|get|unreadCount|create|retract|unarchiveMany|followChanges|all|checkpointKeys|consistency|sealed'

/** Leaves them out, and what only they use. tsc indents the members of a returned object by eight spaces. */
const withoutUncalled: Plugin = {
  name: 'without uncalled',
  setup({ onLoad }) {
    const member = new RegExp(`^ {8}(?:async )?\\*?(?:${uncalled})\\b[^]*?(?=^ {8}[a-z/.]|^ {4}\\})`, 'gm')
    onLoad({ filter: /client\/dist\/(notifications|change-entries|sealed-log)\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(member, ''),
    }))
  },
}

/** Leaves out the German texts of the component that is not in the bundle. */
const withoutTextsOf = (other: string | undefined): Plugin => ({
  name: 'without other texts',
  setup({ onLoad }) {
    if (other === undefined) return
    const contents = 'export const inboxTextsDe = {}, changeLogTextsDe = {}'
    onLoad({ filter: new RegExp(`web-components/dist/texts/${other}-texts-de[.]js$`) }, () => ({ contents }))
  },
})

/** Texts, then style sheets, then the rest: gzip finds repetitions within 32 KiB, so what is alike has to be near. */
async function inOrder({ entry, other }: Bundle): Promise<string> {
  const first = [...(await files('dist/texts/*.js')), ...(await files('dist/**/{*-styles,theme}.js'))]
  const own = first.filter((file) => other === undefined || !file.includes(`/${other}`))
  return [...own.map((file) => `import './${file}'`), `export * from './dist/${entry}.js'`].join('\n')
}

const files = async (pattern: string) => (await Array.fromAsync(glob(pattern))).sort()

async function bundle(settings: Bundle): Promise<void> {
  const outfile = `dist/${settings.outfile}`
  const { outputFiles } = await build({
    stdin: { contents: await inOrder(settings), resolveDir: '.' },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'linked',
    // These imports only set the order.
    logOverride: { 'ignored-bare-import': 'silent' },
    mangleProps: new RegExp(`^(${internal.split(/\s+/).join('|')})$`),
    plugins: [withoutTextsOf(settings.other), templates, withoutUncalled],
    outfile,
    write: false,
  })
  for (const { path, text } of outputFiles) {
    const isScript = path.endsWith('.js')
    // Names the variables so that more repeats, which makes 2 KB.
    const minifying = {
      module: true,
      compress: { passes: 4, inline: 0 },
      mangle: true,
      format: { comments: 'some' },
    } as const
    await writeFile(path, isScript ? (await minify(text, minifying)).code : text)
  }
  const bytes = gzipSync(await readFile(outfile), { level: 9 }).length
  const limit = settings.maxBytes
  if (bytes > limit) throw new Error(`${outfile} has ${bytes} bytes compressed, more than the ${limit} allowed.`)
}

for (const settings of bundles) await bundle(settings)
