import { createBody } from './create-body.ts'
import type { TestHerald } from './herald.ts'
import type { Answer } from './http-client.ts'
import type { Notification, Page } from './spec-shapes.ts'
import type { User } from './user.ts'

/** The `data` of a successful response. */
export const dataOf = <T>({ json }: Pick<Answer, 'json'>) => (json as { data: T }).data

/** Creates a notification for the user by `POST /` and returns its id. */
export const createFor = async (user: User): Promise<string> =>
  dataOf<Notification>(await user.post('/', createBody([user.id]))).id

/** The ids of the user's list, newest first. */
export const listIds = async (user: User, query = ''): Promise<string[]> =>
  dataOf<Page>(await user.get(`/${query}`)).notifications.map(({ id }) => id)

/** Users who must see nothing of `owner`: of the same subscriber, with the same id at another one, and unrelated. */
export async function newStrangers(herald: TestHerald, owner: User): Promise<User[]> {
  return [
    await herald.newUser({ subscriberId: owner.subscriberId }),
    await herald.newUser({ id: owner.id }),
    await herald.newUser(),
  ]
}
