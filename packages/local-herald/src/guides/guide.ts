import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** A block of commands with its output, and the expected output if the guide contains it. */
export type GuideStep = {
  commands: string
  printed: string
  expected: string | undefined
}

export type GuideRun = {
  /** The guide, in Markdown. */
  file: string
  /** The working directory, to which its files are written. */
  folder: string
  environment: NodeJS.ProcessEnv
  /** Selects the blocks of commands to run; all by default. */
  select?: (commands: string) => boolean
}

type Block = {
  language: string
  file: string | undefined
  text: string
}

/** Runs the code blocks of a guide: `sh` is run, `js name` is written to a file, `output` is part of the output before it. */
export async function runGuide({ file, folder, environment, select = () => true }: GuideRun): Promise<GuideStep[]> {
  const all = readBlocks(await readFile(file, 'utf8'))
  for (const block of all) {
    if (block.file === undefined) continue
    await mkdir(dirname(join(folder, block.file)), { recursive: true })
    await writeFile(join(folder, block.file), block.text)
  }
  const steps = toSteps(all).filter(({ commands }) => select(commands))
  // One shell for all blocks, so that variables are kept.
  const options = { cwd: folder, env: environment, maxBuffer: 64 * 1024 * 1024, timeout: 600_000 }
  const { stdout } = await execute('bash', ['-c', scriptOf(steps)], options).catch((error) => {
    throw new Error(`${file} failed with exit code ${error.code}\n${error.stdout}\n${error.stderr}`)
  })
  const printed = stdout.split(mark)
  return steps.map((step, index) => ({ ...step, printed: printed[index] ?? '' }))
}

function readBlocks(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', file, text = '']) => ({ language, file, text }),
  )
}

function toSteps(blocks: readonly Block[]): Omit<GuideStep, 'printed'>[] {
  return blocks.flatMap(({ language, text }, at) => {
    if (language !== 'sh') return []
    const next = blocks[at + 1]
    return [{ commands: text, expected: next?.language === 'output' ? next.text.trim() : undefined }]
  })
}

const mark = '---- end of block ----'
const scriptOf = (steps: readonly { commands: string }[]) =>
  [
    'set -euo pipefail',
    `trap 'for job in $(jobs -p); do kill "$job" 2>/dev/null || true; done; wait' EXIT`,
    ...steps.flatMap(({ commands }) => [commands, `printf '\\n%s\\n' '${mark}'`]),
  ].join('\n')
