import { type CpuTimes, judgedValues, median, type Result } from '../figure.ts'
import { showNumber } from '../show-number.ts'
import { type History, medianOfRuns } from './history.ts'
import { type SavedResults, showMachine } from './saved-results.ts'

const secondsPerDay = 86_400
const table = 'test/bench/README.md#last-figures'
const hundred = (value: number) => Math.round(value / 100) * 100

/** A result with the value to quote. */
type Quoted = Result & { readonly value: number }

/**
 * The performance section of the workspace's README: a sentence for each figure that a newcomer asks for, if it was measured. What
 * has a goal is the median of the saved runs, the rest is of the last one.
 */
export function performanceText({ setup, parts, history }: SavedResults): string {
  const figures = Object.values(parts).flatMap((part) => part.figures.map((figure) => quoted(figure, history)))
  const find = (what: string, beside = '') =>
    figures.find((figure) => figure.what.startsWith(what) && (figure.beside?.name ?? '').startsWith(beside))
  const sentences = [
    stored('change entries', find('change events stored', 'kafkajs')),
    stored('notifications, 3 for each event,', find('mentions of 3 recipients stored')),
    compared(find('change events stored', 'kafkajs')),
    served(find('page of 20, authenticated')),
    listed(find('event produced → listed, p50'), find('event produced → listed, p99')),
    knee(find('capacity: mentions'), find('produced → listed at 80 % of capacity, p99')),
    sustained(find('produced → listed for 10 minutes at 50 % of capacity, p99')),
    caughtUp(find('time to catch up')),
  ]
  const lines = sentences.filter((sentence) => sentence !== undefined)
  if (lines.length === 0 || setup === undefined) return 'No results.'
  const isDrawn = figures.some(({ point }) => point?.picture === 'knee')
  const picture = '![Latency over the share of capacity](test/bench/results/knee.svg)'
  const machines = new Set(Object.values(parts).map(showMachine))
  const where = machines.size > 1 ? `, on the machines that [the table](${table}) names` : ''
  const measured = `Measured at commit ${setup.commit}${where}:`
  return [measured, lines.join('\n'), ...(isDrawn ? [picture] : [])].join('\n\n')
}

function quoted(result: Result, history: History): Quoted {
  const { goal, ratio, summary } = result
  const [judged] = goal ? judgedValues(result) : []
  return { ...result, value: judged ? medianOfRuns(history, judged.name) : (ratio ?? summary).median }
}

const number = ({ value }: Quoted) => showNumber(value)

const allProcesses = ['service', 'mongod', 'broker'] as const

/** The CPU time of an operation in these processes together. */
function microsecondsOf({ cpu = {} }: Result, processes: readonly (keyof CpuTimes)[] = allProcesses): number {
  return processes.reduce((sum, name) => sum + median(cpu[name] ?? [0]), 0)
}

function stored(documents: string, figure: Result | undefined): string | undefined {
  if (figure?.cpu === undefined) return undefined
  const perSecond = 1e6 / microsecondsOf(figure)
  const perDay = Math.round((perSecond * secondsPerDay) / 1e7) * 10
  return (
    `- A core that runs ingest, MongoDB and Kafka stores about ${showNumber(hundred(perSecond))} ${documents} a second, ` +
    `${showNumber(perDay)} million a day.`
  )
}

function compared(ceiling: Quoted | undefined): string | undefined {
  const ratio = ceiling?.value.toFixed(2)
  return ratio && `- Change entries are stored at ${ratio} of the rate of a bare program on the same drivers.`
}

function served(page: Result | undefined): string | undefined {
  if (page?.cpu === undefined) return undefined
  const perSecond = 1e6 / microsecondsOf(page, ['service', 'mongod'])
  return `- A core that runs query and MongoDB serves about ${showNumber(hundred(perSecond))} pages of 20 a second.`
}

function listed(p50: Quoted | undefined, p99: Quoted | undefined): string | undefined {
  if (p50 === undefined || p99 === undefined) return undefined
  return `- At 500 events a second an event is in its recipient’s list after ${number(p50)} ms (median), 99 of 100 after ${number(p99)} ms.`
}

function knee(capacity: Quoted | undefined, p99: Quoted | undefined): string | undefined {
  if (capacity === undefined || p99 === undefined) return undefined
  return (
    `- For a minute a machine keeps up with about ${showNumber(hundred(capacity.value))} mentions of 3 recipients a second, their producer and readers included, if ` +
    `[MongoDB writes later](deploy/README.md#mongodbs-cache). At 80 % of that, 99 of 100 are listed after ${number(p99)} ms.`
  )
}

function sustained(p99: Quoted | undefined): string | undefined {
  return (
    p99 && `- At half of what a machine keeps up with, for ten minutes, 99 of 100 are listed after ${number(p99)} ms.`
  )
}

const caughtUp = (time: Quoted | undefined) => time && `- T${time.what.slice(1)}: ${number(time)} ${time.unit}.`
