/** Whether tests must fail rather than be skipped without the program: `HERALD_MUST_HAVE` is a space-separated list. */
export function mustHave(program: string, environment: NodeJS.ProcessEnv = process.env): boolean {
  return (environment.HERALD_MUST_HAVE ?? '').split(/\s+/).includes(program)
}
