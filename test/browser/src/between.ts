import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'

const bundle = createRequire(import.meta.url).resolve('@herald/inbox/bundle')

/** The inbox and its token, in the ten lines of the README. */
const pageScript = `
  const inbox = document.createElement('herald-inbox')
  inbox.setAttribute('base-url', '/api')
  inbox.token = async () => (await fetch('/token')).text()
  document.querySelector('main').append(inbox)`

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Host</title><link rel="icon" href="/icon.png">
  <script type="module" src="/inbox.js"></script><main><h1>Host</h1></main><script type="module" src="/page.js"></script></html>`

/** `withholds`: the body of a stream is kept back, as buffering proxies do; a number: the gateway's own answer. */
export type Mode = 'passes' | 'withholds' | number

/** A page and a proxy in front of Herald on one origin, over HTTP/1.1. Its mode can be changed while it runs. */
export async function startBetween(baseUrl: string, headers: Readonly<Record<string, string>> = {}) {
  const open = new Set<{ isSilent: boolean }>()
  const requests: { readonly path: string; readonly mode: Mode }[] = []
  let told = ''
  let mode: Mode = 'passes'
  let token = ''

  const files: Readonly<Record<string, () => Promise<readonly [string, string | Buffer]>>> = {
    '/': async () => ['text/html', page],
    '/inbox.js': async () => ['text/javascript', await readFile(bundle)],
    '/page.js': async () => ['text/javascript', pageScript],
    '/icon.png': async () => ['image/png', ''],
    '/token': async () => ['text/plain', token],
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { url = '/' } = incoming
    const file = await files[url]?.()
    if (file) return void outgoing.writeHead(200, { ...headers, 'content-type': file[0] }).end(file[1])
    pass(incoming, outgoing, url.slice('/api'.length))
  }

  function pass(incoming: IncomingMessage, outgoing: ServerResponse, path: string): void {
    const isStream = path.startsWith('/notifications/stream')
    requests.push({ path: path.split('?')[0] ?? '', mode })
    if (typeof mode === 'number')
      return void outgoing.writeHead(mode, { 'content-type': 'text/html' }).end('<h1>No</h1>')
    const isWithheld = isStream && mode === 'withholds'
    const { host: _, ...sent } = incoming.headers
    const upstream = request(
      `${baseUrl}${path}`,
      { method: incoming.method, headers: sent, agent: false },
      (answer) => {
        const connection = { isSilent: isWithheld }
        if (isStream) open.add(connection)
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        outgoing.flushHeaders()
        if (isStream) answer.on('data', (bytes) => (told += bytes))
        answer.on('data', (bytes) => connection.isSilent || outgoing.write(bytes))
        answer.on('end', () => outgoing.end())
        outgoing.on('close', () => open.delete(connection))
      },
    )
    upstream.on('error', () => outgoing.destroy())
    outgoing.on('close', () => upstream.destroy())
    incoming.pipe(upstream)
  }

  const server = createServer((incoming, outgoing) => void handle(incoming, outgoing))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    /** How many events of this name the streams have told. */
    countEvents: (name: string) => told.split(`event: ${name}\n`).length - 1,
    /** Streams that are open now. */
    streams: () => open.size,
    setMode(next: Mode): void {
      mode = next
    },
    /** Sets what the page's token function returns. */
    signIn(next: string): void {
      token = next
    },
    /** Open streams transfer nothing any more, as after sleep. */
    silence(): void {
      for (const connection of open) connection.isSilent = true
    },
    async stop(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
