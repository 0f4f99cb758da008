import process from 'node:process'
import { z } from 'zod'
import { httpSettings } from '../http/http-settings.ts'
import { observationSettings } from '../settings/shared-settings.ts'
import { runHttpService } from './run-http-service.ts'

// A service process for the tests of signals and exit codes. MODE selects what goes wrong.
const schema = z.object({
  ...httpSettings({ port: 0, adminPort: 0 }),
  ...observationSettings,
  NEEDED: z.string().meta({ description: 'A setting that is required' }),
  MODE: z.string().default('good').meta({ description: 'What goes wrong' }),
})

/** A server that listens at once, unless the mode says otherwise. */
const serverOf = (listen: () => Promise<void> = async () => {}) => ({
  listen,
  close: async () => {},
})

await runHttpService({
  name: 'fixture',
  schema,
  process,
  deadlineMs: 300,
  manifest: new URL('../../package.json', import.meta.url),
  create: ({ settings: { MODE }, logger, releasers }) => {
    const alive = setInterval(() => {}, 1_000)
    releasers.add('first', () => clearInterval(alive))
    if (MODE === 'warns') {
      for (const milliseconds of [-5, -6, -7]) setTimeout(() => {}, milliseconds)
      process.emitWarning('Something is old', { type: 'DeprecationWarning', code: 'OLD1' })
      process.emitWarning('Something else is old', { type: 'DeprecationWarning', code: 'OLD2' })
    }
    if (MODE === 'hangs') releasers.add('hanging', () => new Promise(() => {}), { limitMs: 60_000 })
    if (MODE === 'hangs long') releasers.add('hanging', () => new Promise(() => setTimeout(() => {}, 60_000)))
    if (MODE === 'cannot start') throw new Error('No start')
    const listen = async () => {
      // Warnings are emitted asynchronously.
      if (MODE === 'warns') await new Promise((resolve) => setTimeout(resolve, 50))
      if (MODE === 'cannot listen') throw new Error('The port is taken')
      if (MODE !== 'starts slowly') return
      logger.info('Starting')
      await new Promise((_resolve, reject) => releasers.add('connecting', () => reject(new Error('Closed'))))
    }
    releasers.add('last', () => logger.info('Released the last'))
    if (MODE === 'rejects') setImmediate(() => Promise.reject(new Error('Unhandled')))
    if (MODE === 'throws') {
      setImmediate(() => {
        throw new Error('Unhandled')
      })
    }
    if (MODE === 'rejects while it ends') releasers.add('rejecting', () => void Promise.reject(new Error('Unhandled')))
    const startDraining = () => logger.info('Draining')
    return { http: serverOf(), admin: { app: serverOf(listen), startDraining } }
  },
})
