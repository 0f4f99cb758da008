import { afterAll, beforeAll } from '@jest/globals'
import { describeResumedStream } from '../notifications/resumed-stream-tests.ts'
import { type OwnHerald, startOwnHerald } from '../support/own-herald.ts'
import { describeCrash } from './crash-tests.ts'
import { describeGracefulStop } from './graceful-stop-tests.ts'

let herald: OwnHerald
beforeAll(async () => {
  herald = await startOwnHerald('stopped')
})
afterAll(() => herald?.stop())

const running = () => herald
describeResumedStream(running)
describeCrash(running)
describeGracefulStop(running)
