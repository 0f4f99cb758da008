import type { Socket } from 'node:net'

type PipeMode = 'pass' | 'silent' | { readonly delayMs: number }

/** One direction of a proxied connection. Data held back in silence is passed on later, in order, as TCP would. */
export type Pipe = {
  start(): void
  setMode(mode: PipeMode): void
}

export function createPipe(from: Socket, to: Socket): Pipe {
  const held: { chunk: Buffer; dueAt: number }[] = []
  let mode: PipeMode = 'pass'
  let timer: NodeJS.Timeout | undefined

  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (mode === 'silent') return
    const now = performance.now()
    while (held[0] && held[0].dueAt <= now) {
      const [{ chunk } = { chunk: undefined }] = held.splice(0, 1)
      if (chunk && to.writable) to.write(chunk)
    }
    if (held[0]) timer = setTimeout(flush, Math.max(1, held[0].dueAt - now))
  }

  return {
    start() {
      from.on('data', (chunk: Buffer) => {
        if (mode === 'pass' && held.length === 0) {
          if (to.writable && !to.write(chunk)) {
            from.pause()
            to.once('drain', () => from.resume())
          }
          return
        }
        const delay = typeof mode === 'object' ? mode.delayMs : 0
        held.push({ chunk, dueAt: performance.now() + delay })
        if (timer === undefined) flush()
      })
      from.on('close', () => clearTimeout(timer))
    },
    setMode(next) {
      mode = next
      flush()
    },
  }
}
