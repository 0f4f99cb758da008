import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { outside, type Packed, workspaceFolder } from './packed.ts'
import { run, succeed } from './run.ts'

type Block = { readonly language: string; readonly file: string | undefined; readonly text: string }

/** What a block of commands printed, and what the guide says that it prints, when it says so. */
export type Step = { readonly commands: string; readonly printed: string; readonly said: string | undefined }

/** The code blocks of a guide: `sh` is run, `js name` becomes a file, `output` is part of what the commands before print. */
async function readBlocks(path: string): Promise<Block[]> {
  const markdown = await readFile(join(workspaceFolder, path), 'utf8')
  return [...markdown.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', file, text = '']) => ({
      ...{ language, file, text },
    }),
  )
}

/** Runs a guide from its own code blocks, in one shell, in a folder of its own. */
export async function runGuide(path: string, packed: Packed, variables: Record<string, string>): Promise<Step[]> {
  const blocks = await readBlocks(path)
  const folder = await mkdtemp(join(tmpdir(), 'herald-guide-'))
  try {
    for (const { file, text } of blocks) if (file) await writeFile(join(folder, file), text)
    // Guides to services are read in the workspace, and leave nothing behind in it.
    for (const name of ['services', 'packages']) await symlink(join(workspaceFolder, name), join(folder, name))
    const programs = await stand(packed)
    const PATH = [programs, dirname(process.execPath), outside().PATH].join(delimiter)
    const environment = { ...outside(), ...variables, PATH }
    const script = scriptOf(blocks.filter(({ language }) => language === 'sh'))
    const { code, stdout, stderr } = await run('bash', ['-c', script], { folder, environment })
    if (code !== 0) throw new Error(`${path} ended with code ${code}\n${stdout}\n${stderr}`)
    return toSteps(blocks, stdout)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const mark = '---- end of block ----'
const scriptOf = (shell: readonly Block[]) =>
  [
    'set -euo pipefail',
    `trap 'for job in $(jobs -p); do kill "$job" 2>/dev/null || true; done; wait' EXIT`,
    ...shell.flatMap(({ text }) => [text, `printf '\\n%s\\n' '${mark}'`]),
  ].join('\n')

function toSteps(blocks: readonly Block[], stdout: string): Step[] {
  const printed = stdout.split(mark)
  let index = 0
  return blocks.flatMap(({ language, text }, at) => {
    if (language !== 'sh') return []
    const next = blocks[at + 1]
    const said = next?.language === 'output' ? next.text.trim() : undefined
    return [{ commands: text, printed: printed[index++] ?? '', said }]
  })
}

/** An `npm` that takes the packed packages where a guide names those of Herald; everything else is npm's. */
async function stand({ archives, folder }: Packed): Promise<string> {
  const programs = join(folder, 'programs')
  await mkdir(programs, { recursive: true })
  const npm = (await succeed('bash', ['-c', 'command -v npm'], { folder, environment: outside() })).trim()
  const script = `#!/usr/bin/env bash
args=()
for arg in "$@"; do
  case "$arg" in
    @herald/publisher) args+=('${archives.contracts}' '${archives.publisher}') ;;
    @herald/client) args+=('${archives.client}') ;;
    *) args+=("$arg") ;;
  esac
done
exec '${npm}' "\${args[@]}" --prefer-offline --no-audit --no-fund --silent
`
  await writeFile(join(programs, 'npm'), script)
  await chmod(join(programs, 'npm'), 0o755)
  return programs
}
