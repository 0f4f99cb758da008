import { describe, expect, test } from '@jest/globals'
import { createRandom, createSimulatedPage, type Path } from './simulated-page.fixture.ts'

/** The most requests of all within `windowMs`. */
function mostWithin(times: readonly number[], windowMs: number): number {
  let [most, from] = [0, 0]
  for (const [index, time] of times.entries()) {
    while ((times[from] ?? 0) <= time - windowMs) from++
    most = Math.max(most, index - from + 1)
  }
  return most
}

describe('a thousand pages that lose their gateway at once', () => {
  test.each([
    ['for a moment', 'gone', 1_000],
    ['for 20 s', 'gone', 20_000],
    ['for 3 minutes', 'gone', 180_000],
    ['for 20 s, while it refuses', 'refuses', 20_000],
    ['for 3 minutes, while it refuses', 'refuses', 180_000],
  ] as const)('%s: are back within 60 s, with at most 100 requests a second', (_, path: Path, milliseconds) => {
    const random = createRandom(milliseconds)
    const requests: number[] = []
    const pages = Array.from({ length: 1_000 }, () => createSimulatedPage(random, (__, now) => requests.push(now)))
    for (const page of pages) page.dispatch({ type: 'start' }, 0)
    requests.length = 0
    // The server names a pause of 1 to 5 s.
    for (const page of pages) page.setPath(path, 1, 1_000 + random() * 4_000)
    for (let now = 100; now <= milliseconds + 60_000; now += 100) {
      if (now === milliseconds) for (const page of pages) page.setPath('works', now)
      for (const page of pages) page.pass(now)
    }
    expect(pages.filter(({ state }) => state.phase !== 'live')).toEqual([])
    expect(mostWithin(requests, 1_000)).toBeLessThanOrEqual(100)
  })
})

/** Times of the requests of a page in an hour on this path. */
function hourOn(path: Path, seed: number): number[] {
  const requests: number[] = []
  const page = createSimulatedPage(createRandom(seed), (_, now) => requests.push(now))
  page.setPath(path, 0)
  page.dispatch({ type: 'start' }, 0)
  for (let now = 0; now <= 3_600_000; now += 100) page.pass(now)
  return requests
}

test('an idle live page sends no requests', () => {
  expect(hourOn('works', 1).every((time) => time === 0)).toBe(true)
})

test('an idle page that polls sends at most 3 requests a minute, and reads the counts at least once', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const later = hourOn('withholds', seed).filter((time) => time > 60_000)
    expect(later.length).toBeLessThanOrEqual(59 * 3)
    for (let index = 1; index < later.length; index++) {
      expect((later[index] ?? 0) - (later[index - 1] ?? 0)).toBeLessThanOrEqual(60_000)
    }
  }
})

test.each(['refuses', 'gone'] as const)('a page on a path that %s asks again at least every 35 s', (path) => {
  for (let seed = 1; seed <= 20; seed++) {
    const times = hourOn(path, seed)
    for (const [index, time] of times.entries()) expect(time - (times[index - 1] ?? 0)).toBeLessThanOrEqual(35_100)
  }
})
