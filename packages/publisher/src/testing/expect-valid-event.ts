import type { HeraldEvent } from '../event.ts'
import { type AnyMessage, type ReadOptions, readMessage } from '../read-message.ts'

/**
 * Asserts that Herald accepts a message, from any library, and returns its event for further assertions. Throws an error with all
 * issues otherwise; works in any test runner.
 */
export function expectValidEvent(message: AnyMessage, options: ReadOptions = {}): HeraldEvent {
  return readMessage(message, options)
}
