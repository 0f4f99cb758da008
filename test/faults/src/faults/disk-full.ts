import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { leastInFlight } from '../campaign/load.ts'
import { lasting, type OwnStack, type PartContext, strike } from '../part.ts'
import { startStack } from '../stack/stack.ts'
import { pause, until } from '../until.ts'

const run = promisify(execFile)
const logPreload = new URL('../preloads/log-file.ts', import.meta.url).href
const diskSize = '900m'
const mostInFlight = 20_000
let disks: string[] = []

/** Starts servers whose members each have a small disk that can be filled. Mounting one requires root. */
export async function startOnSmallDisks(): Promise<OwnStack> {
  const folders = await Promise.all([0, 1, 2].map(() => mkdtemp(join(tmpdir(), 'herald-small-disk-'))))
  const mounted: string[] = []
  const unmount = async () => {
    for (const folder of mounted.splice(0)) await run('umount', ['-l', folder]).catch(() => {})
    for (const folder of folders) await rm(folder, { recursive: true, force: true })
  }
  process.once('exit', () => {
    for (const folder of mounted) execFileSync('umount', ['-l', folder], { stdio: 'ignore' })
  })
  try {
    for (const folder of folders) {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${diskSize}`, 'tmpfs', folder])
      mounted.push(folder)
    }
  } catch {
    await unmount()
    return { kind: 'skipped', reason: 'a small disk cannot be mounted here' }
  }
  disks = folders
  const stack = await startStack({ log: () => {}, parentFolders: folders })
  const stop = async () => {
    await stack.stop()
    await unmount()
  }
  return { kind: 'started', stack: { ...stack, stop } }
}

/** Fills the disks of all members until nothing can be stored, and nothing logged by ingest, and then frees them. */
export async function fillDisks(context: PartContext): Promise<void> {
  const { stack, campaign, log } = context
  const { load, offsets, fleet } = campaign
  const [disk = ''] = disks
  fleet.preload(logPreload)
  await fleet.restartWith({ HERALD_LOG_FILE: join(disk, 'ingest.log') })
  const ballasts = disks.map((folder) => join(folder, 'ballast'))
  await strike(
    context,
    'disks full',
    () => Promise.all(ballasts.map(fill)),
    async () => {
      const admin = stack.mongo.client.db('admin')
      let last = new Map<string, number>()
      let since = Date.now()
      await until('progress to stop', async () => {
        if ((await load.inFlight()) < mostInFlight) void load.produce(2_000)
        await admin.command({ fsync: 1 }, { timeoutMS: 2_000 }).catch(() => {})
        await pause(1_000)
        const committed = new Map(await offsets.committed())
        const hasMoved = [...committed].some(([place, offset]) => (last.get(place) ?? 0) < offset)
        if (hasMoved || (await load.inFlight()) < leastInFlight) since = Date.now()
        last = committed
        return Date.now() - since > 8_000
      })
      log('the group makes no progress')
      await lasting(context.isShort ? 2 : 20)
      await Promise.all(ballasts.map((file) => rm(file)))
      await Promise.all(stack.mongo.members.map((member) => member.restart()))
      await until('a primary', async () => (await stack.mongo.primary()) !== undefined)
    },
  )
}

async function fill(file: string): Promise<void> {
  const handle = await open(file, 'w')
  try {
    for (const size of [1 << 20, 1 << 12]) {
      const block = Buffer.alloc(size)
      for (;;) if ((await handle.write(block)).bytesWritten < size) break
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    await handle.close()
  }
}
