/** 1 altered, 2 entries missing, 3 erased where an erasure leaf names it, 4 not sealed yet. */
export type FindingCode = 1 | 2 | 3 | 4

export type Finding = {
  readonly code: FindingCode
  /** Leaves from `from` to before `to`; absent if none can be named. */
  readonly leaves?: { readonly from: number; readonly to: number }
  /** Plain ASCII in one line. */
  readonly words: string
}

/** A line without its end: the code, the index or `40-49` or `-`, and the words. */
export function formatFinding({ code, leaves, words }: Finding): string {
  return `${code} ${formatLeaves(leaves)} ${words}`
}

function formatLeaves(leaves: Finding['leaves']): string {
  if (leaves === undefined) return '-'
  const { from, to } = leaves
  return to - from === 1 ? `${from}` : `${from}-${to - 1}`
}

type Run = {
  readonly code: FindingCode
  readonly from: number
  readonly first: string | undefined
  readonly words: (subject: string) => string
  to: number
  last: string | undefined
}

/**
 * Reports findings as they are made. Those about adjacent leaves with the same words become one, so that a thousand missing
 * entries are one line.
 */
export function createReport(report: (finding: Finding) => void) {
  const codes = new Set<FindingCode>()
  let run: Run | undefined

  function endRun() {
    if (run === undefined) return
    const { code, from, to, words } = run
    report({ code, leaves: { from, to }, words: words(subjectOf(run)) })
    run = undefined
  }

  return {
    codes: codes as ReadonlySet<FindingCode>,
    add(finding: Finding) {
      codes.add(finding.code)
      report(finding)
    },
    /** @param words always the same function for the same finding */
    addToRun(code: FindingCode, index: number, id: string | undefined, words: Run['words']) {
      codes.add(code)
      if (run?.words === words && run.to === index) {
        run.to = index + 1
        run.last = id
        return
      }
      endRun()
      run = { code, from: index, to: index + 1, first: id, last: id, words }
    },
    end: endRun,
  }
}

function subjectOf({ from, to, first, last }: Run): string {
  if (to - from === 1) return entryOf(first)
  return first === undefined || last === undefined ? `${to - from} leaves` : `${to - from} leaves, ${first} to ${last}`
}

/** How the words name a leaf: by the id of its entry, if it is known. */
export function entryOf(id: string | undefined): string {
  return id === undefined ? 'leaf' : `entry ${id}`
}
