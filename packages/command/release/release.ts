import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { check } from './check.ts'
import { findObstacles } from './obstacles.ts'
import { type Packed, pack } from './pack.ts'
import { toRepositoryUrl } from './repository-url.ts'
import { run, succeed } from './run.ts'
import { findVersionProblems } from './versions.ts'
import { findPublicPackages } from './workspaces.ts'

export type ReleaseOptions = {
  readonly root: string
  readonly dryRun: boolean
  readonly log: (line: string) => void
  /** Environment of npm when publishing. */
  readonly environment?: NodeJS.ProcessEnv
}

/**
 * Packs and checks the public packages, lists them and, unless it is a dry run, publishes each after its dependencies. Versions
 * that the registry already has are skipped, so an interrupted release can be repeated. Returns false if a check failed or an
 * obstacle prevents the release.
 */
export async function release({ root, dryRun, log, environment }: ReleaseOptions): Promise<boolean> {
  const remote = (await run('git', ['remote', 'get-url', 'origin'], root)).stdout.trim()
  const repositoryUrl = toRepositoryUrl(remote)
  const packages = findPublicPackages(root)
  const to = await mkdtemp(join(tmpdir(), 'herald-release-'))
  try {
    const problems = findVersionProblems(root)
    const archives: Packed[] = []
    for (const workspace of packages) archives.push(await pack(workspace, { to, repositoryUrl }))
    const checked = packages.map((workspace, index) => check(workspace, archives[index] as Packed))
    problems.push(...(await Promise.all(checked)).flat())
    for (const packed of archives) log(describe(packed))
    const obstacles = await findObstacles(root, packages, repositoryUrl)
    for (const problem of problems) log(`Problem: ${problem}`)
    for (const obstacle of obstacles) log(`${dryRun ? 'Before a release' : 'Refused'}: ${obstacle}`)
    if (problems.length > 0) return false
    if (dryRun) {
      log(`Dry run: ${archives.length} packages passed all checks, nothing was published.`)
      return true
    }
    if (obstacles.length > 0) return false
    for (const packed of archives) log(await publish(packed, root, environment))
    return true
  } finally {
    await rm(to, { recursive: true, force: true })
  }
}

const describe = ({ name, version, bytes, files }: Packed) =>
  `${name}@${version}: ${files.length} files, ${Math.ceil(bytes / 1024)} KiB packed`

async function publish(
  { name, version, file }: Packed,
  root: string,
  environment?: NodeJS.ProcessEnv,
): Promise<string> {
  const known = await run('npm', ['view', `${name}@${version}`, 'version'], root, environment)
  if (known.code === 0 && known.stdout.trim() === version) return `${name}@${version} is already published`
  await succeed('npm', ['publish', file, '--access', 'public'], root, environment)
  return `Published ${name}@${version}`
}
