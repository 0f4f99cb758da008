import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type GuideStep, runGuide } from '@herald/local-herald'
import { outside, workspaceFolder } from './packed.ts'

/**
 * Runs a guide's code blocks in an empty folder, in a shell with the `export` lines of `npm start`. No other variables that a guide
 * could use are set.
 */
export async function runGuideOutside(path: string, printed: string): Promise<GuideStep[]> {
  const folder = await mkdtemp(join(tmpdir(), 'herald-guide-'))
  try {
    const environment = { ...shell(), ...exportsIn(printed) }
    return await runGuide({ file: join(workspaceFolder, path), folder, environment })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The environment of a reader with this Node.js and npm; npm prefers its cache and runs no scripts. */
function shell(): NodeJS.ProcessEnv {
  const { HOME, PATH = '', TMPDIR, NODE_EXTRA_CA_CERTS, NODE_USE_SYSTEM_CA, ...rest } = outside()
  const settings = Object.entries(rest).filter(([name]) => name.startsWith('npm_config_'))
  const given = { ...Object.fromEntries(settings), HOME, TMPDIR, NODE_EXTRA_CA_CERTS, NODE_USE_SYSTEM_CA }
  const npm = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' }
  // Already built; `prepack` would change files that other tests read.
  const built = { npm_config_ignore_scripts: 'true' }
  return { ...given, ...npm, ...built, PATH: `${dirname(process.execPath)}:${PATH}` }
}

const exportsIn = (printed: string) =>
  Object.fromEntries([...printed.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, name = '', value]) => [name, value]))
