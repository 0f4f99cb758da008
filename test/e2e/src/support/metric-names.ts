/** A metric as a query names it, with the labels that it is selected by. */
export type Selector = { metric: string; labels: string[] }

const words = new Set(['and', 'or', 'unless', 'offset', 'bool', 'inf', 'nan'])

/**
 * The metrics that a PromQL expression reads. What is no metric is taken away first: texts, ranges, the labels of clauses;
 * functions are followed by a parenthesis.
 */
export function selectorsIn(expression: string): Selector[] {
  const bare = expression
    .replace(/"[^"]*"/g, '""')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, '')
    .replace(/\boffset\s+\w+/g, '')
  return [...bare.matchAll(/(?<![\w:.])([a-z_:][\w:]*)\s*(\{[^}]*\}|\()?/gi)]
    .filter(([, name = '', after = '']) => after !== '(' && !words.has(name))
    .map(([, metric = '', after = '']) => ({
      metric,
      labels: [...after.matchAll(/([a-z_]\w*)\s*(?:=~|!~|!=|=)/gi)].map(([, label]) => label as string),
    }))
}

/** The metrics of an exposition by name, each with all labels that its series have. */
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
