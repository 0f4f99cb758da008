import { existsSync } from 'node:fs'
import { type RequestOptions, request } from 'node:http'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** A daemon that takes longer to respond is treated as missing. */
const ANSWER_WITHIN_MS = 2_000

/** Whether a Docker daemon responds within 2 s, at `DOCKER_HOST` or at one of the usual sockets. */
export async function dockerAnswers(environment: NodeJS.ProcessEnv): Promise<boolean> {
  const answers = await Promise.all(daemons(environment).map(ping))
  return answers.includes(true)
}

function daemons(environment: NodeJS.ProcessEnv): RequestOptions[] {
  if (environment.DOCKER_HOST) return daemonAt(environment.DOCKER_HOST)
  const sockets = [
    '/var/run/docker.sock',
    ...(environment.XDG_RUNTIME_DIR ? [join(environment.XDG_RUNTIME_DIR, 'docker.sock')] : []),
    join(environment.HOME || homedir(), '.docker', 'run', 'docker.sock'),
    join(environment.HOME || homedir(), '.docker', 'desktop', 'docker.sock'),
  ]
  return sockets.filter((socket) => existsSync(socket)).map((socketPath) => ({ socketPath }))
}

function daemonAt(address: string): RequestOptions[] {
  if (!URL.canParse(address)) return []
  const { protocol, hostname, port, pathname } = new URL(address)
  return protocol === 'unix:' ? [{ socketPath: pathname }] : [{ host: hostname, port: port || 2375 }]
}

function ping(daemon: RequestOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ ...daemon, path: '/_ping', agent: false, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
    asked.on('response', (response) => {
      response.destroy()
      resolve(response.statusCode === 200)
    })
    asked.on('error', () => resolve(false))
    asked.end()
  })
}
