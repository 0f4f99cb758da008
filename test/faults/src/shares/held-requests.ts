import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { pause } from '../until.ts'
import type { Answers } from './answers.ts'

type Target = { readonly url: string; readonly token: string }

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  socket.pause()
  await once(socket, 'connect')
  return socket
}

const headOf = (request: string, token: string, ...fields: readonly string[]) =>
  [`${request} HTTP/1.1`, 'host: x', `authorization: Bearer ${token}`, ...fields, '', ''].join('\r\n')

/** Sends a request, and reads nothing of its response. */
export async function askWithoutReading({ url, token }: Target, path: string): Promise<Socket> {
  const socket = await open(url)
  socket.write(headOf(`GET ${path}`, token))
  return socket
}

/** Announces a body to an operation that takes none, and sends one byte of it. */
export async function announceBody({ url, token }: Target, path: string): Promise<Socket> {
  const socket = await open(url)
  socket.write(headOf(`GET ${path}`, token, 'content-type: application/json', 'content-length: 200000'))
  socket.write('{')
  return socket
}

/** Sends all but the end of a body of 255 KiB. */
export async function stallBody({ url, token }: Target): Promise<Socket> {
  const socket = await open(url)
  socket.write(headOf('POST /', token, 'content-type: application/json', 'content-length: 261120'))
  socket.write(`{"x":"${'x'.repeat(260_000)}`)
  return socket
}

/** How long the answers that wait are read at the end, if not all of them have come. */
const readMs = 3_000
const longestHead = 8 * 1024

/** As many as an attacker opens at once; all at the same moment would rather measure how fast connections are accepted. */
const openedAtOnce = 25
const openEveryMs = 50

/** Opens many, and holds them together. @returns a function that reads the heads of their responses and closes them */
export async function holdMany(
  count: number,
  openOne: (n: number) => Promise<Socket>,
  answers: Answers,
): Promise<() => Promise<void>> {
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const length = Math.min(openedAtOnce, count - sockets.length)
    sockets.push(...(await Promise.all(Array.from({ length }, (_, n) => openOne(sockets.length + n)))))
    await pause(openEveryMs)
  }
  return async () => {
    const heads = sockets.map(readHead)
    const isOver = AbortSignal.timeout(readMs)
    while (!isOver.aborted && heads.some((head) => head.text() === '')) await pause(50)
    for (const [index, socket] of sockets.entries()) {
      countAnswer(heads[index]?.text() ?? '', socket, answers)
      socket.destroy()
    }
  }
}

function readHead(socket: Socket) {
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
    if (text.length > longestHead) socket.pause()
  })
  socket.resume()
  return { text: () => text }
}

function countAnswer(text: string, socket: Socket, answers: Answers): void {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]
  if (status === undefined) answers.addOther(socket.readableEnded || socket.destroyed ? 'cut' : 'open')
  else answers.add(Number(status), /^retry-after: (.*)\r$/im.exec(text)?.[1] ?? null)
}
