import { createRequire } from 'node:module'
import { BSON } from 'mongodb'
import { checkFence } from './fence.ts'

/** The version patched here. Repeat the tests of this file with another version before changing it. */
const patchedVersion = '7.9.0'

type Connection = {
  readonly closed: boolean
  readonly error: Error | null
  once(event: 'close', listener: () => void): void
  off(event: 'close', listener: () => void): void
  writeCommand: ((message: Message, options: unknown) => Promise<void>) & { isPatched?: true }
}

type Server = {
  handleError: (error: { topologyVersion?: unknown }, connection: unknown) => void
}

type Message = { readonly command?: object }

/**
 * Makes writes fail when their connection is closed, for the whole process. The driver waits for `drain` after a large
 * write, but destroys the socket of a frozen server without an error, so that its operation would never end. Inserts
 * whose {@link checkFence fence} is over fail just before they are sent.
 * @throws Error for another version of the driver
 */
export function patchDriver(): void {
  const require = createRequire(import.meta.url)
  checkDriverVersion(require('mongodb/package.json').version)
  const { prototype }: { prototype: Connection } = require('mongodb/lib/cmap/connection.js').Connection
  const { writeCommand } = prototype
  if (writeCommand.isPatched) return
  prototype.writeCommand = async function (message, options) {
    // Only these, because the driver may connect, or start its monitors, in the context of the one who inserts.
    if (message.command && 'insert' in message.command) checkFence()
    // Closed while the driver was busy: its socket would never drain.
    if (this.closed) throw this.error
    return new Promise((resolve, reject) => {
      const fail = () => reject(this.error)
      this.once('close', fail)
      writeCommand
        .call(this, message, options)
        .then(resolve, reject)
        .finally(() => this.off('close', fail))
    })
  }
  prototype.writeCommand.isPatched = true
  decodeTopologyVersions(require('mongodb/lib/sdam/server.js').Server.prototype)
}

/**
 * In an error of a command with `raw`, the driver leaves the version of the topology as bytes, and then compares later errors with it:
 * a `TypeError` instead of the error itself, while a primary steps down.
 */
function decodeTopologyVersions(prototype: Server): void {
  const { handleError } = prototype
  prototype.handleError = function (error, connection) {
    if (error.topologyVersion instanceof Uint8Array) error.topologyVersion = BSON.deserialize(error.topologyVersion)
    return handleError.call(this, error, connection)
  }
}

export function checkDriverVersion(version: unknown): void {
  if (version !== patchedVersion) {
    throw new Error(
      `Requires version ${patchedVersion} of the MongoDB driver, found ${version}: Herald patches its writes`,
    )
  }
}
