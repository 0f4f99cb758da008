import type { FastifyInstance } from 'fastify'
import type { Releasers } from '../lifecycle/releasers.ts'

export type ServeOptions = {
  /** The name under which the server is released. */
  readonly name: string
  readonly host: string
  readonly port: number
  readonly releasers: Pick<Releasers, 'add'>
  /** Milliseconds that closing has; longer than the server's own `drainMs`. */
  readonly limitMs?: number
}

// Any instance will do, whatever its types are.
type Listening = Pick<FastifyInstance, 'listen' | 'close'>

/** Lets a server listen, and has it closed at the end. */
export async function serve(app: Listening, { name, host, port, releasers, limitMs = 12_000 }: ServeOptions) {
  releasers.add(name, () => app.close(), { limitMs })
  await app.listen({ host, port })
}
