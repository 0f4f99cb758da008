import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lasting, type PartContext, strike } from '../part.ts'
import { until } from '../until.ts'

const preload = new URL('../preloads/no-names.ts', import.meta.url).href

/** Takes the name service from every member, while all of their connections end. */
export async function takeNamesAway(context: PartContext): Promise<void> {
  const { campaign, stack, times, isShort } = context
  const file = join(tmpdir(), `herald-no-names-${campaign.name}`)
  campaign.fleet.preload(preload)
  await campaign.fleet.restartWith({ HERALD_NO_NAMES_FILE: file })
  try {
    for (let done = 0; done < times; done++) {
      const seconds = isShort ? 20 : 60
      await strike(
        context,
        `no names for ${seconds} s, broker and primary kill -9 (${done + 1} of ${times})`,
        async () => {
          await writeFile(file, '')
          stack.broker.kill('SIGKILL')
          ;(await stack.mongo.primary()).kill('SIGKILL')
        },
        async () => {
          await Promise.all([stack.broker.restart(), ...stack.mongo.members.map((member) => member.restart())])
          await lasting(seconds)
          await rm(file)
          await until('a primary', async () => (await stack.mongo.primary()) !== undefined)
        },
      )
    }
  } finally {
    await rm(file, { force: true })
  }
}
