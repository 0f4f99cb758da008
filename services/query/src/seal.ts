import process from 'node:process'
import { createLogger, loadOrExit, runHttpService } from '@herald/runtime'
import { acceptCodes, acceptRestore } from './sealing/accept-restore.ts'
import { createSealService } from './sealing/app.ts'
import { readArguments, sealHelp } from './sealing/arguments.ts'
import { sealSettingsSchema } from './sealing/config.ts'

const asked = readArguments(process.argv.slice(2))
if (asked.kind === 'serve') {
  await runHttpService({
    name: 'herald-seal',
    manifest: new URL('../package.json', import.meta.url),
    schema: sealSettingsSchema,
    process,
    create: (dependencies) => createSealService(dependencies, { acceptKey: asked.acceptKey }),
  })
} else if (asked.kind === 'accept') {
  const settings = loadOrExit(sealSettingsSchema, process, createLogger({ name: 'herald-seal', level: 'info' }))
  const logger = createLogger({ name: 'herald-seal', level: 'silent' })
  const print = (line: string) => void process.stdout.write(`${line}\n`)
  // A client that has lost its broker may keep the process alive.
  process.exit(await acceptRestore({ subscriberIds: asked.subscriberIds, settings, logger, print }))
} else {
  process[asked.kind === 'help' ? 'stdout' : 'stderr'].write(sealHelp)
  process.exitCode = asked.kind === 'help' ? 0 : acceptCodes.usage
}
