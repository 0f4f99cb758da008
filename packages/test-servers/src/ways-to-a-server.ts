/** How a server was found. */
export type Found = 'address' | 'docker' | 'programs'

/** The message names every way to provide the server and why each failed. */
export class ServerNotFound extends Error {
  override toString() {
    return this.message
  }
}

type Ways<T> = {
  name: string
  /** For the message: how to set an address, and the requirements of the programs. */
  address: string
  programs: string
  dockerAnswers: () => Promise<boolean>
  startContainer: () => Promise<T>
  startProgram: () => Promise<T>
  log: (line: string) => void
}

/** Tries Docker, then programs. A daemon that cannot run the image is treated like a missing one. */
export async function firstThatStarts<T extends object>(ways: Ways<T>): Promise<T & { found: Found }> {
  let docker = 'no daemon responds'
  if (await ways.dockerAnswers()) {
    try {
      ways.log(`Starting ${ways.name} in Docker.`)
      return Object.assign(await ways.startContainer(), { found: 'docker' as const })
    } catch (error) {
      docker = oneLine(error)
      ways.log(`${ways.name} could not be started in Docker: ${docker}`)
    }
  }
  try {
    return Object.assign(await ways.startProgram(), { found: 'programs' as const })
  } catch (cause) {
    const message = [
      `${ways.name} was not found. One of these is enough:`,
      `  - an address: ${ways.address}`,
      `  - Docker (tried: ${docker})`,
      `  - programs on this machine: ${ways.programs} (tried: ${oneLine(cause)})`,
    ]
    throw new ServerNotFound(message.join('\n'), { cause })
  }
}

function oneLine(error: unknown) {
  const text = error instanceof Error ? error.message : String(error)
  return text.replaceAll(/\s*\n\s*/g, ' | ').replace(/\.$/, '')
}
