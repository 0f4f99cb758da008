import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { type GuideStep, runGuide } from '@herald/local-stack'
import { outside, type Packed, workspaceFolder } from './packed.ts'
import { succeed } from './run.ts'

/** Runs a guide from its own code blocks, in a folder of its own, with the packed packages where it installs Herald's. */
export async function runGuideOutside(
  path: string,
  packed: Packed,
  variables: Record<string, string>,
): Promise<GuideStep[]> {
  const folder = await mkdtemp(join(tmpdir(), 'herald-guide-'))
  try {
    // Guides to services are read in the workspace, and leave nothing behind in it.
    for (const name of ['services', 'packages']) await symlink(join(workspaceFolder, name), join(folder, name))
    const PATH = [await stand(packed), dirname(process.execPath), outside().PATH].join(delimiter)
    const environment = { ...outside(), ...variables, PATH }
    return await runGuide({ file: join(workspaceFolder, path), folder, environment })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
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
