/**
 * What is stored of a log, or published of it, does not agree with its leaves: the database was restored or changed. Nothing of the
 * log is sealed until an operator has decided.
 */
export class LogConflict extends Error {
  override readonly name = 'LogConflict'
}
