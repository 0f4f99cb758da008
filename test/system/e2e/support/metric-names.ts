/** A metric in a query, with the labels of its selector. */
export type Selector = { metric: string; labels: string[] }

const keywords = new Set(['and', 'or', 'unless', 'offset', 'bool', 'inf', 'nan'])

/**
 * The metrics that a PromQL expression reads. Strings, ranges and the labels of clauses are removed first; a name before a
 * parenthesis is a function.
 */
export function selectorsIn(expression: string): Selector[] {
  const bare = expression
    .replace(/"[^"]*"/g, '""')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, '')
    .replace(/\boffset\s+\w+/g, '')
  return [...bare.matchAll(/(?<![\w:.])([a-z_:][\w:]*)\s*(\{[^}]*\}|\()?/gi)]
    .filter(([, name = '', after = '']) => after !== '(' && !keywords.has(name))
    .map(([, metric = '', after = '']) => ({
      metric,
      labels: [...after.matchAll(/([a-z_]\w*)\s*(?:=~|!~|!=|=)/gi)].map(([, label]) => label as string),
    }))
}

/** The metrics of an exposition by name, each with the labels of all its series. */
export function exposedIn(exposition: string): Map<string, Set<string>> {
  const exposed = new Map<string, Set<string>>()
  for (const [, name = '', type] of exposition.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    const series = type === 'histogram' ? ['_bucket', '_count', '_sum'].map((end) => name + end) : [name]
    for (const one of series) exposed.set(one, new Set())
  }
  for (const [, name = '', labels = ''] of exposition.matchAll(/^([a-z_:][\w:]*)(?:\{(.*)\})? /gim)) {
    for (const [, label = ''] of labels.matchAll(/([a-z_]\w*)="/gi)) exposed.get(name)?.add(label)
  }
  return exposed
}
