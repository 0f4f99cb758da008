import { parseArgs } from 'node:util'
import type { Db } from 'mongodb'
import { layouts } from './layouts.ts'
import { explainPlans } from './plans.ts'
import { createPopulation } from './population.ts'
import { comparisonTable, type Figures } from './report.ts'
import { measureLayout } from './round.ts'
import { withMongo } from './with-mongo.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    layouts: { type: 'string', default: 'A,Az,A8s,A2,B,C' },
    'fan-out': { type: 'string', default: '2' },
  },
})
const chosen = values.layouts.split(',').map((wanted) => {
  const layout = layouts.find(({ name }) => name === wanted)
  if (!layout) throw new Error(`No layout ${wanted}; there are ${layouts.map(({ name }) => name).join(', ')}`)
  return layout
})
const population = createPopulation(Number(values['fan-out']))
const roundCount = Number(values.rounds)

await withMongo(async (client) => {
  const db = client.db('layout_bench', { writeConcern: { w: 'majority', journal: true } })
  const { version } = await db.admin().serverInfo()
  console.log(`mongod ${version}\n${chosen.map(({ name, about }) => `${name}: ${about}`).join('\n')}\n`)
  await printPlans(db)
  const figures = await measureRounds(db)
  await db.dropDatabase()
  console.log(`\n${comparisonTable(figures)}`)
})

async function printPlans(db: Db) {
  console.log('| layout | query | plan | keys | documents |\n| --- | --- | --- | --- | --- |')
  for (const layout of chosen) console.log((await explainPlans(db, layout, population)).join('\n'))
}

async function measureRounds(db: Db): Promise<Map<string, Figures[]>> {
  const figures = new Map<string, Figures[]>(chosen.map(({ name }) => [name, []]))
  for (let round = 0; round < roundCount; round++) {
    // Each round starts with another layout, so that side effects of one do not always affect the same next one.
    const order = chosen.map((_, i) => chosen[(i + round) % chosen.length]).filter((layout) => layout !== undefined)
    for (const layout of order) {
      const begun = performance.now()
      const measured = await measureLayout({ db, layout, population }, 7_000 * (round + 1))
      figures.get(layout.name)?.push(measured)
      const rate = Math.round(measured['insert, documents/s'] ?? 0)
      const seconds = Math.round((performance.now() - begun) / 1_000)
      console.error(`round ${round + 1} of ${roundCount}, ${layout.name}: ${rate} documents/s inserted (${seconds} s)`)
    }
  }
  return figures
}
