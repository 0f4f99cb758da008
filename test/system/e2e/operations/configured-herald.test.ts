import { createSealing } from '@herald/local-herald'
import { afterAll, beforeAll } from '@jest/globals'
import { startOtlpReceiver } from '../support/otlp-receiver.ts'
import { type OwnHerald, startOwnHerald } from '../support/own-herald.ts'
import { uniqueName } from '../support/servers.ts'
import { describeAdminPorts } from './admin-port-tests.ts'
import { describeLogLines } from './log-line-tests.ts'
import { describeMetrics } from './metric-tests.ts'
import { describeRateLimitsAndOrigins } from './rate-limit-and-origin-tests.ts'
import { describeTraces } from './trace-tests.ts'

// One Herald with all settings that these tests need: its logs have every line, and its metrics every series.
const requestsPerMinute = 100
const origins = ['https://app.example', 'https://two.example']

let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>
let herald: OwnHerald

beforeAll(async () => {
  receiver = await startOtlpReceiver()
  const settings = {
    LOG_LEVEL: 'trace',
    RATE_LIMIT_PER_MINUTE: String(requestsPerMinute),
    CORS_ORIGINS: origins.join(),
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  }
  const options = { sealing: createSealing(), notificationTopic: uniqueName('announced') }
  herald = await startOwnHerald('configured', settings, options)
}, 120_000)
afterAll(async () => {
  await herald?.stop()
  await receiver?.stop()
})

const running = () => herald
describeAdminPorts(running)
describeMetrics(running)
describeTraces(running, () => receiver)
describeRateLimitsAndOrigins(running, { requestsPerMinute, origin: 'https://app.example' })
describeLogLines(running)
