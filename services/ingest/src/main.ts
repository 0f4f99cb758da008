import process from 'node:process'
import { runService, serve, startTracing } from '@herald/runtime'
import { createIngest } from './app.ts'
import { settingsSchema } from './config.ts'

await runService({
  name: 'herald-ingest',
  manifest: new URL('../package.json', import.meta.url),
  schema: settingsSchema,
  process,
  async start({ settings, logger, build, releasers, onDraining }) {
    const tracing = await startTracing({ settings, serviceName: 'herald-ingest', logger, releasers })
    const { http, admin, events, relay } = createIngest({ settings, logger, build, releasers, tracing })
    onDraining(admin.startDraining)
    const { HOST: host, PORT, ADMIN_PORT } = settings
    await serve(admin.app, { name: 'admin server', host, port: ADMIN_PORT, releasers })
    await serve(http, { name: 'HTTP server', host, port: PORT, releasers })
    events.start()
    relay.start()
  },
})
