import type { MuteResponse, Mutes as MutesResponse } from './contract-types.ts'
import type { CallOptions, Http } from './http.ts'

/** A location or an actor that the user has muted, until a time or, with `null`, for good. */
export type Mute = MuteResponse['data']

/** A location or an actor, by its id. */
export type MuteTarget = Readonly<Pick<Mute, 'kind' | 'id'>>

export type Mutes = ReturnType<typeof createMutes>

/** The mutes of the current user. */
export function createMutes({ http }: { readonly http: Pick<Http, 'json' | 'empty'> }) {
  const path = ({ kind, id }: MuteTarget) => `/mutes/${kind}/${encodeURIComponent(id)}`
  return {
    /** All of them, last set first. */
    list: async ({ signal }: CallOptions = {}): Promise<readonly Mute[]> =>
      (await http.json<MutesResponse['data']>({ path: '/mutes', signal })).mutes,
    /** Mutes what is stored from now on, until a time or for good. A user has at most 500 mutes (`too_many_mutes`). */
    set: (
      target: MuteTarget,
      { until = null, signal }: CallOptions & { readonly until?: Date | string | null | undefined } = {},
    ) => http.json<Mute>({ method: 'PUT', path: path(target), body: { until }, signal }),
    /** Unmutes; also succeeds if it is not muted. */
    remove: (target: MuteTarget, { signal }: CallOptions = {}) =>
      http.empty({ method: 'DELETE', path: path(target), signal }),
  }
}
