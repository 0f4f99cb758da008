/** The fields used of the report of Schemathesis. */
export type Report = {
  exit_code: number
  running_time: number | null
  operations: { total: number; selected: number; tested: number; errored: number; skipped: number } | null
  phases: Record<string, { status: string }> | null
  test_cases: { generated: number; with_failures: number; unique_failures: number }
  failures: { title: string; count: number; operations: string[] }[]
  errors: { title: string; count: number }[]
}

export type Counts = {
  passed: number
  failed: number
  skipped: number
}

/** An operation without a finding counts as passed; each finding, error and untested operation as a failure. */
export function countsOf({ operations, failures, errors, exit_code: exitCode }: Report): Counts {
  const { total = 0, tested = 0 } = operations ?? {}
  const sum = (findings: readonly { count: number }[]) => findings.reduce((all, { count }) => all + count, 0)
  const failing = new Set(failures.flatMap((failure) => failure.operations))
  const failed = sum(failures) + sum(errors) + (total - tested)
  return {
    passed: Math.max(0, tested - failing.size),
    failed: exitCode === 0 ? failed : Math.max(1, failed),
    skipped: 0,
  }
}

/** Formats the figures as one line. Schemathesis prints the seed that reproduces the cases. */
export function describeReport({ operations, test_cases: cases, phases, running_time: seconds }: Report): string {
  const ran = Object.entries(phases ?? {}).map(([name, { status }]) => `${name} ${status}`)
  return [
    `${cases.generated} cases against ${operations?.tested ?? 0} operations`,
    `${cases.unique_failures} findings`,
    `${Math.round(seconds ?? 0)} s`,
    ...ran,
  ].join(', ')
}
