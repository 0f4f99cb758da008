type Instruction = { readonly name: string; readonly text: string }
export type Stage = { readonly name: string; readonly base: string; readonly instructions: readonly Instruction[] }

/** The stages of a Dockerfile in their order, by name. */
export function readStages(dockerfile: string): ReadonlyMap<string, Stage> {
  const stages = new Map<string, Stage & { readonly instructions: Instruction[] }>()
  for (const { name, text } of readInstructions(dockerfile)) {
    if (name !== 'FROM') {
      ;[...stages.values()].at(-1)?.instructions.push({ name, text })
      continue
    }
    const [, base = '', stage = ''] = /^(\S+) AS (\S+)$/.exec(text) ?? []
    if (!stage) throw new Error(`This stage has no name: FROM ${text}`)
    stages.set(stage, { name: stage, base, instructions: [] })
  }
  return stages
}

/** The stages that start something. */
export const readTargets = (dockerfile: string): string[] =>
  [...readStages(dockerfile).values()]
    .filter(({ instructions }) => instructions.some(({ name }) => name === 'CMD'))
    .map(({ name }) => name)

const readInstructions = (dockerfile: string): Instruction[] =>
  dockerfile
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => /^([A-Z]+) +(.*)$/.exec(line.trim()))
    .flatMap((found) => (found ? [{ name: found[1] ?? '', text: found[2] ?? '' }] : []))

/** `COPY [--from=STAGE] SOURCE … TARGET` */
export function readCopy(text: string) {
  const words = text.split(/\s+/)
  const options = words.filter((word) => word.startsWith('--'))
  const paths = words.filter((word) => !word.startsWith('--'))
  const [from] = options.filter((option) => option.startsWith('--from=')).map((option) => option.slice(7))
  if (options.length > (from ? 1 : 0)) throw new Error(`These steps do not know an option of COPY ${text}`)
  return { from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' }
}
