import { isFree } from '@herald/test-servers/source'

const DEFAULT_PORT = 8080
const LAST_PORT = 65_535
const TRIED = 50

/** Parses `PORT`; the default is 8080. Throws when it is not a port number. */
export function readPort(text: string | undefined): number {
  if (!text) return DEFAULT_PORT
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port >= 1 && port <= LAST_PORT) return port
  throw new Error(`PORT is ${JSON.stringify(text)}; it must be an integer from 1 to ${LAST_PORT}.`)
}

/** Finds the first free port, starting with `first`. */
export async function findPort(first: number): Promise<number> {
  const last = Math.min(first + TRIED - 1, LAST_PORT)
  for (let port = first; port <= last; port += 1) if (await isFree(port)) return port
  throw new Error(`All ports from ${first} to ${last} are in use; set PORT to another one.`)
}
