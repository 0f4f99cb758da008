import { createSealing } from '@herald/local-herald'
import { afterAll, beforeAll } from '@jest/globals'
import { describeClient } from './client-tests.fixture.ts'
import { describeFollowChanges } from './follow-changes-tests.fixture.ts'
import { startTestHerald, type TestHerald } from './herald.fixture.ts'
import { describeSealedLog } from './sealed-log-tests.fixture.ts'
import { describeStream } from './stream-tests.fixture.ts'

// One Herald for all of them: it takes longer to start than most of them take.
let herald: TestHerald
beforeAll(async () => {
  herald = await startTestHerald('client', createSealing())
}, 300_000)
afterAll(() => herald?.stop())

const running = () => herald
describeClient(running)
describeStream(running)
describeSealedLog(running)
// It restarts services.
describeFollowChanges(running)
