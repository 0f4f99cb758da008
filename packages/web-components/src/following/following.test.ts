import { describe, expect, test } from '@jest/globals'
import { type Effect, type Following, follow, type Input, notFollowing } from './following.ts'

/** A page that something happens to at given times. */
function createPage() {
  let state: Following = notFollowing
  const at = (now: number, input: Input): readonly Effect[] => {
    const step = follow(state, input, { now, random: () => 0.5 })
    state = step.state
    return step.effects
  }
  return {
    at,
    heard: (now: number) => at(now, { type: 'heard', isLevel: true }),
    lost: (now: number, reason: 'expired' | 'refused' | 'connection' | 'withheld') => at(now, { type: 'lost', reason }),
    get phase() {
      return state.phase
    },
    get state() {
      return state
    },
  }
}

function startLive() {
  const page = createPage()
  page.at(0, { type: 'start' })
  page.at(50, { type: 'read' })
  page.heard(100)
  return page
}

test('at the start the counts are read, whatever becomes of the stream', () => {
  const page = createPage()
  expect(page.at(0, { type: 'start' })).toEqual(['open', 'read'])
  page.at(100, { type: 'read' })
  expect(page.phase).toBe('catching-up')
  page.heard(200)
  expect([page.phase, page.state.dueAt]).toEqual(['live', Number.POSITIVE_INFINITY])
})

test('a stream that tells nothing for 5 s is taken for withheld: the counts are polled until it tells something', () => {
  const page = createPage()
  page.at(0, { type: 'start' })
  page.at(100, { type: 'read' })
  expect(page.at(5_000, { type: 'time' })).toEqual(['read'])
  page.at(5_100, { type: 'read' })
  expect(page.phase).toBe('polling')
  expect(page.at(page.state.dueAt, { type: 'time' })).toEqual(['read'])
  page.heard(50_000)
  expect(page.phase).toBe('live')
})

test('events that were missed are told before the stream is level', () => {
  const page = createPage()
  page.at(0, { type: 'start' })
  for (let now = 1_000; now < 20_000; now += 1_000) page.at(now, { type: 'heard', isLevel: false })
  expect([page.phase, page.state.dueAt]).toEqual(['catching-up', 24_000])
})

test('a page without a shared stream polls, and does not ask for the stream', () => {
  const page = createPage()
  page.at(0, { type: 'start' })
  page.lost(1, 'withheld')
  page.at(100, { type: 'read' })
  for (let now = 1_000; now < 600_000; now += 1_000) {
    expect(page.at(now, { type: 'time' })).not.toContain('open')
    page.at(now, { type: 'read' })
  }
  expect(page.phase).toBe('polling')
})

describe('refused', () => {
  test('asks again without end, and for the stream soon after the counts can be read', () => {
    const page = startLive()
    page.lost(1_000, 'refused')
    expect(page.phase).toBe('refused')
    const asked = new Set<Effect>()
    for (let tries = 0; tries < 1_000; tries++) {
      const { dueAt } = page.state
      for (const effect of page.at(dueAt, { type: 'time' })) {
        if (effect === 'open') page.lost(dueAt, 'refused')
        if (effect === 'read') page.at(dueAt, { type: 'read-failed', isRefused: true })
        asked.add(effect)
      }
      expect(page.state.dueAt - dueAt).toBeLessThanOrEqual(35_000)
    }
    expect([...asked].sort()).toEqual(['check', 'open', 'read'])
    const { dueAt } = page.state
    page.at(dueAt, { type: 'read' })
    expect(page.state.dueAt - dueAt).toBeLessThanOrEqual(20_000)
    expect(page.at(page.state.dueAt, { type: 'time' })).toContain('open')
  })

  test.each(['opened', 'woke', 'online', 'restored'] as const)('asks at once when %s', (type) => {
    const page = startLive()
    page.lost(1_000, 'refused')
    page.at(30_000, { type: 'time' })
    page.lost(30_000, 'refused')
    expect(page.at(30_001, { type })).toEqual(['open', 'read', 'check'])
  })

  test('a stream that is refused alone is asked for less and less, while the counts are polled', () => {
    const page = createPage()
    page.at(0, { type: 'start' })
    page.at(10, { type: 'read' })
    page.lost(20, 'refused')
    expect(page.phase).toBe('polling')
    let opened = 0
    for (let now = 0; now < 3_600_000; now += 1_000) {
      for (const effect of page.at(now, { type: 'time' })) {
        if (effect !== 'read' || !page.at(now, { type: 'read' }).includes('open')) continue
        opened++
        page.lost(now, 'refused')
      }
    }
    expect(opened).toBeGreaterThan(10)
    expect(opened).toBeLessThan(40)
    expect(page.phase).toBe('polling')
  })
})

describe('a live page', () => {
  test('that wakes after a long silence opens its stream anew and reads', () => {
    expect(startLive().at(3_600_000, { type: 'woke' })).toEqual(['open', 'read', 'check'])
  })

  test('that wakes after a short silence reads, and opens its stream anew if the counts differ', () => {
    const [same, other] = [startLive(), startLive()]
    for (const page of [same, other]) expect(page.at(10_000, { type: 'woke' })).toEqual(['read', 'check'])
    expect(same.at(10_100, { type: 'read', differs: false })).toEqual([])
    expect(other.at(10_100, { type: 'read', differs: true })).toEqual(['open', 'read', 'check'])
  })

  test.each(['online', 'restored'] as const)('that is %s opens its stream anew: no connection has survived', (type) => {
    expect(startLive().at(101, { type })).toEqual(['open', 'read', 'check'])
  })

  test('goes on when its token expires, and asks nothing', () => {
    const page = startLive()
    expect(page.lost(1_000, 'expired')).toEqual([])
    expect(page.phase).toBe('live')
    page.heard(1_100)
    expect([page.phase, page.state.dueAt]).toEqual(['live', Number.POSITIVE_INFINITY])
  })

  test('closes its stream when it is left, and opens it when it is shown again', () => {
    const page = startLive()
    expect(page.at(1_000, { type: 'left' })).toEqual(['close'])
    expect(page.at(900_000, { type: 'time' })).toEqual([])
    expect(page.at(900_001, { type: 'restored' })).toEqual(['open', 'read', 'check'])
  })

  test('asks whose token it is at least every 60 s, and soon after it was given another function', () => {
    const page = startLive()
    expect(page.at(45_000, { type: 'time' })).toEqual(['check'])
    page.at(46_000, { type: 'token' })
    expect(page.state.checkAt).toBe(50_000)
  })
})

test('a user who is signed out is not asked for, except for a token', () => {
  const page = startLive()
  expect(page.at(1_000, { type: 'signed-out' })).toEqual(['close'])
  for (const type of ['opened', 'woke', 'online'] as const) expect(page.at(1_001, { type })).toEqual(['check'])
  for (const input of [{ type: 'read' }, { type: 'offline' }] as const) page.at(1_002, input)
  expect(page.phase).toBe('signed-out')
  expect(page.at(46_002, { type: 'time' })).toEqual(['check'])
  expect(page.at(46_100, { type: 'start' })).toEqual(['open', 'read'])
})
