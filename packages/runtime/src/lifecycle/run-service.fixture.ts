import process from 'node:process'
import { z } from 'zod'
import { observationSettings } from '../settings/shared-settings.ts'
import { runService } from './run-service.ts'

// A service process for the tests of signals and exit codes. MODE selects what goes wrong.
const schema = z.object({
  ...observationSettings,
  NEEDED: z.string().meta({ description: 'A setting that is required' }),
  MODE: z.string().default('good').meta({ description: 'What goes wrong' }),
})

await runService({
  ...{ name: 'fixture', schema, process, deadlineMs: 300 },
  manifest: new URL('../../package.json', import.meta.url),
  start: async ({ settings: { MODE }, logger, releasers, onDraining }) => {
    const alive = setInterval(() => {}, 1_000)
    releasers.add('first', () => clearInterval(alive))
    if (MODE === 'warns') {
      for (const milliseconds of [-5, -6, -7]) setTimeout(() => {}, milliseconds)
      process.emitWarning('Something is old', { type: 'DeprecationWarning', code: 'OLD1' })
      process.emitWarning('Something else is old', { type: 'DeprecationWarning', code: 'OLD2' })
      // Warnings are emitted asynchronously.
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    if (MODE === 'hangs') releasers.add('hanging', () => new Promise(() => {}), { limitMs: 60_000 })
    if (MODE === 'hangs long') releasers.add('hanging', () => new Promise(() => setTimeout(() => {}, 60_000)))
    if (MODE === 'cannot start') throw new Error('No start')
    if (MODE === 'starts slowly') {
      logger.info('Starting')
      await new Promise((_resolve, reject) => releasers.add('connecting', () => reject(new Error('Closed'))))
    }
    onDraining(() => logger.info('Draining'))
    releasers.add('last', () => logger.info('Released the last'))
    if (MODE === 'rejects') setImmediate(() => Promise.reject(new Error('Unhandled')))
    if (MODE === 'throws') {
      setImmediate(() => {
        throw new Error('Unhandled')
      })
    }
    if (MODE === 'rejects while it ends') releasers.add('rejecting', () => void Promise.reject(new Error('Unhandled')))
  },
})
