import { eventually } from '@herald/test-servers'
import { MongoClient } from 'mongodb'

/** A MongoDB command of ingest that writes to a collection. */
export type WriteCommand = {
  readonly command: 'insert' | 'update' | 'delete'
  readonly collection: string
  /** So many of them pass. */
  readonly after?: number
}

export type HeldCommands = {
  /** From now on the server holds this command of ingest instead of carrying it out. */
  hold(write: WriteCommand): Promise<void>
  /** Waits until such a command is held. */
  untilHeld(write: WriteCommand): Promise<void>
  /** Lets later commands pass. Those that are held already fail. */
  letPass(): Promise<void>
  close(): Promise<void>
}

const interrupted = 11_601

/** Holds commands of ingest on a server with `enableTestCommands`, so that it can be killed at a known point. */
export async function createHeldCommands(uri: string, database: string): Promise<HeldCommands> {
  const client = await MongoClient.connect(uri)
  const admin = client.db('admin')
  const appName = 'herald-ingest'
  const commandsOfIngest = (filter: object) =>
    admin.aggregate([{ $currentOp: { allUsers: true } }, { $match: { appName, active: true, ...filter } }]).toArray()
  return {
    async hold({ command, collection, after = 0 }) {
      await admin.command({
        configureFailPoint: 'failCommand',
        mode: after === 0 ? 'alwaysOn' : { skip: after },
        data: {
          appName,
          failCommands: [command],
          namespace: `${database}.${collection}`,
          // The error keeps a held command from being carried out after its process is dead.
          blockConnection: true,
          blockTimeMS: 30_000,
          errorCode: interrupted,
        },
      })
    },
    async untilHeld({ command, collection }) {
      const isHeld = async () => (await commandsOfIngest({ [`command.${command}`]: collection })).length > 0
      await eventually(isHeld, { every: 10, description: `${command} of ${collection} is held` })
    },
    async letPass() {
      // The server answers once nothing is held any more.
      const off = admin.command({ configureFailPoint: 'failCommand', mode: 'off' })
      for (const { opid } of await commandsOfIngest({ 'command.$db': database })) {
        await admin.command({ killOp: 1, op: opid })
      }
      await off
    },
    close: () => client.close(),
  }
}
