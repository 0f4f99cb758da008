/**
 * The stored or published checkpoints of a log do not agree with its leaves: the database was restored or changed. Nothing of the
 * log is sealed until an operator has decided.
 */
export class LogConflict extends Error {
  override readonly name = 'LogConflict'
}
