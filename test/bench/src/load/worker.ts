/** The program of a loader: runs the role that its parent names. */
import process from 'node:process'
import type { Request } from './loader.ts'
import type { Role } from './role.ts'
import { type RoleName, roles, type SetupOf } from './roles.ts'

let role: Role | undefined

process.on('message', (request: Request) => {
  answer(request).then(
    (value) => process.send?.({ value }),
    (error: Error) => process.send?.({ error: error.stack ?? String(error) }),
  )
})
// The parent has stopped it, or has ended.
process.on('disconnect', () => process.exit())

async function answer(request: Request): Promise<Float64Array | undefined> {
  if ('role' in request) {
    const create = roles[request.role] as (setup: SetupOf<RoleName>) => Promise<Role>
    role = await create(request.setup)
    return undefined
  }
  return role?.(request.schedule)
}
