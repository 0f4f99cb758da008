/** A retraction or an erasure is dated ahead of all clocks. Its record is handed out again. */
export class NotDueError extends Error {
  override readonly name = 'NotDueError'
  readonly dueInMs: number

  constructor(dueInMs: number) {
    super('A retraction or an erasure is dated ahead of all clocks')
    this.dueInMs = dueInMs
  }
}
