/** A method and a path, whose parameters are written `:id` or `{id}`; `*` at its end stands for anything. */
export type MethodAndPath = { readonly method: string; readonly path: string }

type Pattern = { readonly expression: RegExp; readonly order: string; readonly methods: Set<string> }

const none: ReadonlySet<string> = new Set()

/**
 * Which methods a path has, from the operations behind the base URL. Where two paths fit an address, the one with fewer
 * parameters has it: `/notifications/read` is never a notification called `read`.
 */
export function createAllowedMethods(operations: readonly MethodAndPath[] = []) {
  const patterns = new Map<string, Pattern>()
  let ordered: readonly Pattern[] = []

  function add({ method, path }: MethodAndPath): void {
    const key = path.replaceAll(/:\w+|\{\w+\}/g, ':')
    const pattern = patterns.get(key) ?? { expression: toExpression(key), order: toOrder(key), methods: new Set() }
    pattern.methods.add(method.toUpperCase())
    if (method.toUpperCase() === 'GET') pattern.methods.add('HEAD')
    patterns.set(key, pattern)
    ordered = [...patterns.values()].sort((a, b) => (a.order < b.order ? -1 : 1))
  }

  for (const operation of operations) add(operation)
  return {
    add,
    /** The methods of an address, empty when it has none. The query and the fragment do not count. */
    at(address: string): ReadonlySet<string> {
      const path = decode(address.split(/[?#]/, 1)[0] ?? '')
      return ordered.find(({ expression }) => expression.test(path))?.methods ?? none
    },
  }
}

export type AllowedMethods = ReturnType<typeof createAllowedMethods>

/** The value of `Allow` once a method was refused; `GET` and `HEAD` are refused together. Empty when nothing is left. */
export function allowHeader(methods: ReadonlySet<string>, refused: string): string {
  const gone = refused === 'GET' || refused === 'HEAD' ? ['GET', 'HEAD'] : [refused]
  return [...methods]
    .filter((method) => !gone.includes(method))
    .sort()
    .join(', ')
}

function toExpression(key: string): RegExp {
  const source = key
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(':', '[^/]+')
    .replaceAll('*', '.*')
  return new RegExp(`^${source}$`, 's')
}

// Sorts literal parts before parameters, and these before what takes the rest.
function toOrder(key: string): string {
  return key.replaceAll(':', '\uFFFE').replaceAll('*', '\uFFFF')
}

function decode(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
