import process from 'node:process'
import { runService } from '@herald/runtime'
import { createIngest } from './app.ts'
import { settingsSchema } from './config.ts'

await runService({
  name: 'herald-ingest',
  schema: settingsSchema,
  process,
  async start({ settings, logger, releasers, onDraining }) {
    const { http, admin, events } = createIngest({ settings, logger, releasers })
    onDraining(admin.startDraining)
    releasers.add('admin server', () => admin.app.close())
    await admin.app.listen({ host: settings.HOST, port: settings.ADMIN_PORT })
    releasers.add('HTTP server', () => http.close(), { limitMs: 10_000 })
    await http.listen({ host: settings.HOST, port: settings.PORT })
    events.start()
  },
})
