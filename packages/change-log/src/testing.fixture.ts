export { changeBy, changeEntry } from './documents/change-entry.fixture.ts'
