import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openCheckpoint, type VerifierKey, verifyConsistency } from '@herald/sealed-log'
import { createWitnessKey } from '@herald/sealed-log/testing'

type Known = { readonly size: number; readonly root: Uint8Array }
/** How it answers what it should cosign. */
export type Manner =
  | 'cosigns'
  | 'breaks off'
  | 'hangs'
  | 'garbage'
  | 'redirects'
  | '10 MB'
  | 'drips'
  | 'a size that changes'
  | 'a size beyond'
  | number

/** A witness on this machine (C2SP tlog-witness), which can also be one that is broken. */
export async function startTestWitness(name: string, keyOf: (origin: string) => VerifierKey | undefined) {
  const witnessKey = createWitnessKey(`${name}.example`)
  const logs = new Map<string, Known>()
  let manner: Manner = 'cosigns'
  const counts = { requests: 0, open: 0, mostOpen: 0 }

  function addCheckpoint(body: string): readonly [status: number, body: string] {
    const end = body.indexOf('\n\n')
    const [old = '', ...hashes] = body.slice(0, end).split('\n')
    const note = body.slice(end + 2)
    const [origin = ''] = note.split('\n')
    const [key, oldSize] = [keyOf(origin), Number(/^old (\d+)$/.exec(old)?.[1])]
    if (key === undefined) return [404, '']
    const opened = openCheckpoint(note, [key])
    if (!opened.ok) return [403, '']
    const { size, root } = opened.checkpoint
    if (!(oldSize <= size)) return [400, '']
    const known = logs.get(origin)
    if (oldSize !== (known?.size ?? 0)) return [409, `${known?.size ?? 0}\n`]
    const proof = hashes.map((hash) => Buffer.from(hash, 'base64'))
    const isConsistent =
      known === undefined
        ? proof.length === 0
        : verifyConsistency({ from: oldSize, fromRoot: known.root, to: size, toRoot: root, hashes: proof })
    if (!isConsistent) return [422, '']
    logs.set(origin, { size, root })
    return [200, witnessKey.cosign(note, BigInt(Math.floor(Date.now() / 1_000)))]
  }

  function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
    const send = (status: number, text = '', headers = {}) => void response.writeHead(status, headers).end(text)
    if (manner === 'breaks off') request.socket.destroy()
    else if (manner === 'garbage') send(200, '— nobody AAAA\n\u0000')
    else if (manner === 'redirects') send(307, '', { location: 'http://127.0.0.1:9/add-checkpoint' })
    else if (manner === '10 MB') send(200, '—'.repeat(10_000_000 / 3))
    else if (manner === 'drips') void response.writeHead(200).write('— ')
    else if (manner === 'a size that changes') send(409, `${1 + (counts.requests % 2)}\n`)
    else if (manner === 'a size beyond') send(409, '9007199254740991\n')
    else if (typeof manner === 'number') send(manner)
    else if (manner === 'cosigns') send(...addCheckpoint(body))
  }

  const server = createServer(async (request, response) => {
    counts.requests++
    counts.mostOpen = Math.max(counts.mostOpen, ++counts.open)
    response.on('close', () => counts.open--)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.method !== 'POST' || request.url !== '/prefix/add-checkpoint') response.writeHead(400).end()
    else answer(request, response, Buffer.concat(chunks).toString())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    name,
    counts,
    logs,
    policyLine: `witness ${name} ${witnessKey.verifierKey} http://127.0.0.1:${port}/prefix/`,
    behave(next: Manner): void {
      manner = next
    },
    stop(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}
