/** The value at a claim's place in a token, or why there is none. The fault never quotes the token. */
type FoundClaim = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly fault: string }

/** A claim by the name that the settings give it. */
export type ClaimPath = { readonly name: string; readonly find: (claims: object) => FoundClaim }

/** Stands for the only member of an object or a list. */
const onlyMember = '*'

/** Whether a setting that begins with `/` is a JSON Pointer (RFC 6901); any other text is one name. */
export const isClaimPath = (setting: string) => !/^\/.*~(?![01])/s.test(setting)

/** Reads the setting of a claim: its name, taken whole, or a JSON Pointer in which `*` stands for the only member. */
export function toClaimPath(setting: string): ClaimPath {
  const isPointer = setting.startsWith('/')
  const names = isPointer ? setting.split('/').slice(1).map(toName) : [setting]
  return {
    name: setting,
    find(claims) {
      let value: unknown = claims
      for (const [depth, name] of names.entries()) {
        const keys = keysOf(value)
        const isOnly = isPointer && name === onlyMember
        if (isOnly && keys.length > 1) {
          const parent = setting.split('/', depth + 1).join('/')
          return { ok: false, fault: `has no single value: ${parent || 'the token'} has ${keys.length} members` }
        }
        const key = isOnly ? keys[0] : name
        if (key === undefined || !keys.includes(key)) return { ok: false, fault: 'is missing' }
        value = (value as Record<string, unknown>)[key]
      }
      return { ok: true, value }
    },
  }
}

const toName = (segment: string) => segment.replaceAll('~1', '/').replaceAll('~0', '~')
const keysOf = (value: unknown) => (typeof value === 'object' && value !== null ? Object.keys(value) : [])

/** A value's form in words. */
export function formOf(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (value === null) return 'null'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
