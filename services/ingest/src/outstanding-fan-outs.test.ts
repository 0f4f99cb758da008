import { expect, test } from '@jest/globals'
import { Registry } from 'prom-client'
import { exposeOutstandingFanOuts } from './outstanding-fan-outs.ts'

test('is 1 while fan-outs are outstanding, survives an outage, and asks no more once they are written', async () => {
  const registry = new Registry()
  const answers: (boolean | 'away')[] = [true, 'away', false]
  let asked = 0
  exposeOutstandingFanOuts(registry, async () => {
    const answer = answers[asked++]
    if (answer === 'away') throw new Error('away')
    return answer === true
  })
  const scrape = async () => {
    const metric = await registry.getSingleMetricAsString('herald_fan_outs_outstanding')
    await new Promise((resolve) => setImmediate(resolve))
    return Number(metric.trim().split(' ').at(-1))
  }
  const seen = [await scrape(), await scrape(), await scrape(), await scrape(), await scrape()]
  expect([seen, asked]).toEqual([[0, 1, 1, 0, 0], 3])
})
