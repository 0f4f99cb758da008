/** Whether `HERALD_MUST_HAVE`, a list with spaces, names a program whose absence is a failure and not a skip. */
export function mustHave(program: string, environment: NodeJS.ProcessEnv = process.env): boolean {
  return (environment.HERALD_MUST_HAVE ?? '').split(/\s+/).includes(program)
}
