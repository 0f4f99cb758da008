import { cp } from 'node:fs/promises'
import { build } from 'esbuild'

await build({
  entryPoints: ['src/demo.ts', 'src/demo.css'],
  bundle: true,
  minify: true,
  sourcemap: 'linked',
  format: 'esm',
  target: 'es2022',
  outdir: 'dist',
})
await cp('src/index.html', 'dist/index.html')
await cp('src/people', 'dist/people', { recursive: true })
