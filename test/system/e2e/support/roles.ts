import { readFileSync } from 'node:fs'
import type { Db, Document } from 'mongodb'

const script = readFileSync(new URL('../../../../deploy/mongodb/roles.mongosh.js', import.meta.url), 'utf8')

/** Runs deploy/mongodb/roles.mongosh.js, whose commands mongosh sends while it runs, and this when it has ended. */
export async function createRoles(database: Db): Promise<void> {
  const { roles } = await database.command({ rolesInfo: 1 })
  const commands: Document[] = []
  const db = {
    getName: () => database.databaseName,
    runCommand({ rolesInfo, ...command }: Document) {
      if (rolesInfo !== undefined) return { roles: roles.filter(({ role }: Document) => role === rolesInfo) }
      commands.push(command)
      return { ok: 1 }
    },
  }
  new Function('db', script)(db)
  for (const command of commands) await database.command(command)
}
