import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'

const { resolve } = createRequire(import.meta.url)
const bundles: Readonly<Record<string, string>> = {
  '/herald-inbox.min.js': resolve('@herald/inbox/bundle'),
  '/herald-inbox-only.min.js': resolve('@herald/inbox/bundle/inbox'),
  '/herald-change-log.min.js': resolve('@herald/inbox/bundle/change-log'),
}

/** A page of another origin that loads the bundle and sets `base-url` and `token`. */
const page = (baseUrl: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Host</title>
    <link rel="icon" href="data:,">
    <script type="module" src="/herald-inbox.min.js"></script>
    <script type="module">
      const token = new URLSearchParams(location.hash.slice(1)).get('token')
      for (const name of new URLSearchParams(location.search).getAll('show')) {
        const element = document.createElement(name)
        element.setAttribute('base-url', '${baseUrl}')
        element.token = token
        document.querySelector('main').append(element)
      }
    </script>
    <style>body { margin: 16px; background: light-dark(#fff, #0e1016); color: light-dark(#111, #eee); font: 16px sans-serif }</style>
  </head>
  <body><main><h1>Host</h1></main></body>
</html>
`

export async function startHostPage() {
  let baseUrl = ''
  let content: string | undefined
  let token = ''
  const server = createServer(async ({ url = '/' }, response) => {
    const bundle = bundles[url]
    if (bundle !== undefined) {
      response.setHeader('content-type', 'text/javascript')
      response.end(await readFile(bundle))
    } else if (url === '/session/token') response.end(token)
    else {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end(content ?? page(baseUrl))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    /** Sets the URL of Herald for the page. */
    use(address: string): void {
      baseUrl = address
    },
    /** Replaces the page, or restores it if undefined, and sets the response of `/session/token`. */
    serve(html: string | undefined, sessionToken = ''): void {
      content = html
      token = sessionToken
    },
    async stop(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
