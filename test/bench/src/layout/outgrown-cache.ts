import { parseArgs } from 'node:util'
import type { Db } from 'mongodb'
import { outgrownLayouts } from './outgrown-layouts.ts'
import { measureOutgrown, type OutgrownOptions } from './outgrown-round.ts'
import { comparisonTable, type Figures } from './report.ts'
import { withMongo } from './with-mongo.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1' },
    layouts: { type: 'string', default: outgrownLayouts.map(({ name }) => name).join(',') },
    documents: { type: 'string', default: '10000000' },
    recipients: { type: 'string', default: '1000000' },
    'cache-mib': { type: 'string', default: '256' },
    'fan-out': { type: 'string', default: '3' },
  },
})
const chosen = outgrownLayouts.filter(({ name }) => values.layouts.split(',').includes(name))
const options: OutgrownOptions = {
  documents: Number(values.documents),
  recipients: Number(values.recipients),
  cacheMib: Number(values['cache-mib']),
  fanOut: Number(values['fan-out']),
}

await withMongo(async (client) => {
  const db = client.db('outgrown_bench', { writeConcern: { w: 'majority', journal: true } })
  const { version } = await db.admin().serverInfo()
  console.log(`mongod ${version}, ${JSON.stringify(options)}`)
  console.log(`${chosen.map(({ name, about }) => `${name}: ${about}`).join('\n')}\n`)
  const figures = await measureRounds(db)
  console.log(`\n${comparisonTable(figures)}`)
})

async function measureRounds(db: Db): Promise<Map<string, Figures[]>> {
  const figures = new Map<string, Figures[]>(chosen.map(({ name }) => [name, []]))
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const layout of chosen) {
      const begun = performance.now()
      const measured = await measureOutgrown(db, layout, options)
      figures.get(layout.name)?.push(measured)
      console.error(`${layout.name}: ${Math.round((performance.now() - begun) / 1_000)} s, ${JSON.stringify(measured)}`)
    }
  }
  return figures
}
