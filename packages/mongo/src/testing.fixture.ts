export { createTestClock } from './connection/clock.fixture.ts'
export { createInterceptor, type Intercept } from './intercepted.fixture.ts'
export { onDatabase } from './on-database.fixture.ts'
export { anyText, anyTime, at, bytesOf, idAt, start, subscriberId, uuid } from './test-data.fixture.ts'
export {
  createEmptyDatabase,
  createNewDatabase,
  createTestDatabase,
  type TestDatabase,
} from './test-database.fixture.ts'
export { testFilesWith } from './test-files.fixture.ts'
