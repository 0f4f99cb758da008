import { withLargeCache } from './cache-size.ts'
import { type Result, resultOf } from './figure.ts'
import type { BenchContext, Part } from './part.ts'
import { untilQuiet } from './quiet-machine.ts'

/** Runs a part once the machine is idle, with a large cache of MongoDB. */
export async function runPart({ name, about, run }: Part, context: BenchContext): Promise<Result[]> {
  const { client, log, smoke } = context
  log(`\n${name}: ${about}`)
  if (!smoke) await untilQuiet(log)
  return (await withLargeCache(client, () => run(context))).map(resultOf)
}
