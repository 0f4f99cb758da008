import { createListReader } from './list.ts'
import { createListeners } from './listen.ts'
import { createPublisher } from './publish.ts'
import { createRequester } from './request.ts'

export const roles = {
  publish: createPublisher,
  list: createListReader,
  listen: createListeners,
  request: createRequester,
} as const

type Roles = typeof roles
export type RoleName = keyof Roles
export type SetupOf<Name extends RoleName> = Parameters<Roles[Name]>[0]
