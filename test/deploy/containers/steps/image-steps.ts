import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { filesOfContext } from './build-context.ts'
import { readCopy, readStages, type Stage } from './dockerfile.ts'
import { outsideOfWorkspace } from './environment.ts'

const execute = promisify(execFile)

export type Image = {
  /** The folder that has the files of the image. */
  readonly root: string
  readonly workdir: string
  readonly environment: Readonly<Record<string, string>>
  readonly command: readonly string[]
}

export type ImageSteps = Awaited<ReturnType<typeof createImageSteps>>

/**
 * Runs the instructions of a Dockerfile without Docker, each stage in a folder instead of a file system of its own. Absolute
 * paths are those of the folder, so it always has the same name: a link to the stage that is being built. The image at
 * the bottom is this machine with its Node.js.
 */
export async function createImageSteps({ dockerfile, context }: { dockerfile: string; context: string }) {
  const stages = readStages(dockerfile)
  const folder = await mkdtemp(join(tmpdir(), 'herald-images-'))
  const link = join(folder, 'root')
  const built = new Map<string, Promise<Image>>()
  const files = filesOfContext(context)
  const ownFolders = foldersOf([...stages.values()])

  const enter = async ({ root }: Pick<Image, 'root'>) => {
    await rm(link, { force: true })
    await symlink(root, link)
  }

  const run = async (script: string, { workdir }: Image) => {
    const here = script.replace(/^(--mount=type=cache\S+\s+)+/, '').replace(ownFolders, (path) => `${link}${path}`)
    const options = {
      cwd: join(link, workdir),
      env: { ...outsideOfWorkspace(), npm_config_prefer_offline: 'true' },
      maxBuffer: 64 * 1024 * 1024,
    }
    await execute('sh', ['-ec', here], options).catch(({ stdout, stderr }) => {
      throw new Error(`RUN ${script}\n${linesWithErrors(stdout)}${stderr}`)
    })
  }

  const copy = async (text: string, { root, workdir }: Image) => {
    const { from, sources, target } = readCopy(text)
    const base = from === undefined ? context : (await build(from)).root
    const to = join(root, target.startsWith('/') ? target : join(workdir, target))
    for (const source of sources) {
      if (from === undefined && source === '.')
        for (const file of files) await copyInto(join(base, file), join(to, file))
      else if (from === undefined && !files.includes(source)) throw new Error(`The context has no file ${source}`)
      else if ((await stat(join(base, source))).isDirectory()) await copyFolder(join(base, source), to)
      else await copyInto(join(base, source), target.endsWith('/') ? join(to, basename(source)) : to)
    }
  }

  const buildStage = async ({ base, instructions }: Stage, root: string): Promise<Image> => {
    const parent = stages.has(base) ? await build(base) : undefined
    let image: Image = { ...(parent ?? { workdir: '/', environment: {}, command: [] }), root }
    if (parent) await copyFolder(parent.root, root)
    else await mkdir(root, { recursive: true })
    const settings = new Map<string, string>()
    for (const { name, text } of instructions) {
      const value = text.replace(/\$(\w+)/g, (_, variable) => settings.get(variable) ?? '')
      if (name === 'RUN') {
        await enter(image)
        await run(text, image)
      } else if (name === 'COPY') await copy(text, image)
      else if (name === 'WORKDIR') {
        image = { ...image, workdir: text }
        await mkdir(join(root, text), { recursive: true })
      } else if (name === 'ARG') settings.set(...pair(text))
      else if (name === 'ENV') {
        image = { ...image, environment: { ...image.environment, ...Object.fromEntries(value.split(' ').map(pair)) } }
      } else if (name === 'CMD') image = { ...image, command: JSON.parse(text) }
      else if (!['LABEL', 'USER', 'EXPOSE'].includes(name)) throw new Error(`These steps do not know ${name} ${text}`)
    }
    return image
  }

  async function build(name: string): Promise<Image> {
    const stage = stages.get(name)
    if (!stage) throw new Error(`The Dockerfile has no stage ${name}`)
    const known = built.get(name) ?? buildStage(stage, join(folder, 'stages', name))
    built.set(name, known)
    return known
  }

  return {
    build,
    /** Paths as in the image, for as long as no other stage is built or entered. */
    enter: async (image: Image) => {
      await enter(image)
      return { root: link, workdir: join(link, image.workdir) }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function copyFolder(source: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true })
  await execute('cp', ['-a', `${source}/.`, target])
}

async function copyInto(source: string, target: string): Promise<void> {
  if (!existsSync(dirname(target))) await mkdir(dirname(target), { recursive: true })
  await copyFile(source, target)
}

/** A compiler writes to stdout, between the lines of everything that went well. */
const linesWithErrors = (output: string) => output.match(/^.*\berror\b.*\n/gim)?.join('') ?? ''

const pair = (text: string): [string, string] => {
  const [name = '', ...value] = text.split('=')
  return [name, value.join('=')]
}

/** Matches absolute paths into folders that the stages make: the working directory and those that are copied from. */
function foldersOf(stages: readonly Stage[]): RegExp {
  const paths = stages.flatMap(({ instructions }) =>
    instructions.flatMap(({ name, text }) =>
      name === 'WORKDIR' ? [text] : name === 'COPY' && readCopy(text).from ? readCopy(text).sources : [],
    ),
  )
  const names = new Set(paths.map((path) => path.split('/')[1]))
  return new RegExp(`(?<![\\w./-])/(?:${[...names].join('|')})(?=[/\\s"']|$)`, 'g')
}
