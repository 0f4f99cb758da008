/** A method and a path. Parameters are written `:id` or `{id}`; a final `*` matches any rest. */
export type MethodAndPath = { readonly method: string; readonly path: string }

type Pattern = { readonly expression: RegExp; readonly order: string; readonly methods: Set<string> }

/** Finds the methods of a path. Of several patterns that match, the one with fewer parameters wins. */
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
    /** The methods of a URL, empty if nothing matches. Query and fragment are ignored. */
    at(url: string): ReadonlySet<string> {
      const path = decode(url.split(/[?#]/, 1)[0] ?? '')
      return ordered.find(({ expression }) => expression.test(path))?.methods ?? new Set()
    },
  }
}

export type AllowedMethods = ReturnType<typeof createAllowedMethods>

/** The value of `Allow` without the rejected method; `GET` and `HEAD` are left out together. May be empty. */
export function allowHeader(methods: ReadonlySet<string>, rejected: string): string {
  const excluded = rejected === 'GET' || rejected === 'HEAD' ? ['GET', 'HEAD'] : [rejected]
  return [...methods]
    .filter((method) => !excluded.includes(method))
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

// Sorts literal segments before parameters, and parameters before wildcards.
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
