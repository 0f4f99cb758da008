import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import type { Packed } from './pack.ts'
import { run } from './run.ts'
import type { Workspace } from './workspaces.ts'

const required = ['LICENSE', 'README.md', 'CHANGELOG.md']

/** Checks a packed package with publint, Are the types wrong? and for its files. Returns a line for each problem. */
export async function check({ folder }: Workspace, packed: Packed): Promise<string[]> {
  const problems = [...findFileProblems(folder, packed), ...(await lint(packed)), ...(await checkTypes(packed))]
  return problems.map((problem) => `${packed.name}: ${problem}`)
}

/** Finds missing files, and built files whose source was removed, which a build leaves behind. */
function findFileProblems(folder: string, { files }: Packed): string[] {
  const missing = required.filter((name) => !files.includes(name)).map((name) => `${name} is missing`)
  const built = files.flatMap((path) => /^dist\/(.+)(?<!\.min)\.js$/.exec(path)?.slice(1) ?? [])
  const stale = built.filter((name) => !existsSync(join(folder, 'src', `${name}.ts`)))
  return [...missing, ...stale.map((name) => `dist/${name}.js has no source; remove dist and build again`)]
}

async function lint({ file }: Packed): Promise<string[]> {
  const bytes = await readFile(file)
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const { messages, pkg } = await publint({ strict: true, pack: { tarball } })
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`)
}

async function checkTypes({ file }: Packed): Promise<string[]> {
  const attw = fileURLToPath(new URL('../../../node_modules/.bin/attw', import.meta.url))
  // Herald's packages are ES modules only; without `--no-definitely-typed`, attw queries the registry for @types.
  const args = ['--profile', 'esm-only', '--no-definitely-typed', '--no-emoji', '--no-color', '--format', 'ascii']
  const { code, stdout, stderr } = await run(attw, [...args, file], '.')
  return code === 0 ? [] : [`attw:\n${stdout}${stderr}`]
}
