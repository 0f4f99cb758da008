import type { FastifyInstance } from 'fastify'
import type { Releasers } from '../lifecycle/releasers.ts'

export type ServeOptions = {
  /** Name of the server's releaser. */
  readonly name: string
  readonly host: string
  readonly port: number
  readonly releasers: Pick<Releasers, 'add'>
  /** Timeout for closing in milliseconds; must exceed the server's `drainMs`. */
  readonly limitMs?: number
}

// Independent of the type parameters of Fastify instances.
export type Listening = Pick<FastifyInstance, 'listen' | 'close'>

/** Starts to listen, and closes the server at shutdown. */
export async function serve(app: Listening, { name, host, port, releasers, limitMs = 12_000 }: ServeOptions) {
  releasers.add(name, () => app.close(), { limitMs })
  await app.listen({ host, port })
}
