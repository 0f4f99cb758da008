import type { HeraldEvent } from '../event.ts'
import { type AnyMessage, type ReadOptions, readMessage } from '../read-message.ts'

/**
 * Asserts that Herald takes a message, whatever made it, and returns the event in it for further assertions. It throws with
 * every fault otherwise, in any test runner.
 */
export function expectValidEvent(message: AnyMessage, options: ReadOptions = {}): HeraldEvent {
  return readMessage(message, options)
}
