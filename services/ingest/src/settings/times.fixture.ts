import { defaultTimes, type Times } from './times.ts'

/** Pauses that a test does not notice; limits are those of the product. */
export const quickTimes: Times = {
  ...defaultTimes,
  gateMs: 20,
  lagMs: 200,
  notesMs: 200,
  heldBack: { minPauseMs: 10, maxPauseMs: 100 },
  restart: { minPauseMs: 20, maxPauseMs: 200 },
  relayMs: 200,
  erasuresMs: 200,
  retractionsMs: 100,
  announcementsMs: 100,
  countedMs: 0,
}
