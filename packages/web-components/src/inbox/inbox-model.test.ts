import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { createRandom } from '../following/simulated-page.fixture.ts'
import { createInboxFeed } from './inbox-feed.ts'
import { type InboxState, shown } from './inbox-state.ts'
import { createSimulatedServer, type Path } from './server.fixture.ts'

const { env } = (globalThis as unknown as { process: { env: Record<string, string | undefined> } }).process
const sequences = env.HERALD_FULL ? 10_000 : 300
const paths: readonly Path[] = ['works', 'withholds', 'refuses', 'gone', 'silent']

beforeAll(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] })
})
afterAll(() => {
  jest.useRealTimers()
})

const seenIn = (state: InboxState) => {
  const { unreadCount, items } = shown(state)
  return { unreadCount, items: items.map(({ notification: { id }, isRead }) => `${id}${isRead ? '' : '•'}`) }
}

/** How an inbox learns of news in the end. */
const connections = { works: 'live', withholds: 'polling' } as const

/** Lives through a random sequence. @returns what is shown at its end, and what Herald has */
async function live(seed: number) {
  const random = createRandom(seed)
  const server = createSimulatedServer(random)
  const one = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)] as T
  const strangers = new Set<string>()
  const done: string[] = []
  const feed = createInboxFeed({
    notifications: server.notifications,
    session: server.session,
    undoMs: 500,
    onNews: () => {},
    onChange(state) {
      const owners = shown(state).items.map(({ notification }) => notification.actor.name)
      for (const owner of owners) if (owner !== server.seenUser) strangers.add(`${owner} for ${server.seenUser}`)
    },
  })
  const someId = () => one(shown(feed.state).items)?.notification.id
  const acts: Readonly<Record<string, () => unknown>> = {
    arrive: () => server.arrive(one(['ada', 'bo'])),
    'arrive again': () => server.arrive('ada'),
    'mark elsewhere': () => server.markElsewhere(one(['ada', 'bo']), random() < 0.5),
    mark() {
      const id = someId()
      if (id !== undefined) void feed.mark(id, random() < 0.5)
    },
    'mark all': () => void feed.markAll(),
    path: () => server.setPath(one(paths)),
    'path works': () => server.setPath('works'),
    'sign in': () => server.signIn(one(['ada', 'bo', null])),
    open() {
      feed.notice('opened')
      void feed.list('all')
    },
    wake: () => feed.notice('woke'),
    offline: () => feed.notice('offline'),
    online: () => feed.notice('online'),
    sleep() {
      isAsleep = true
      feed.notice('left')
    },
    show() {
      isAsleep = false
      feed.notice('restored')
    },
  }
  let isAsleep = false
  for (let n = 0; n < 4; n++) server.arrive('ada')
  feed.start()
  void feed.list('all')
  for (let step = 0; step < 15; step++) {
    const name = one(Object.keys(acts))
    done.push(name)
    acts[name]?.()
    await jest.advanceTimersByTimeAsync(random() < 0.5 ? random() * 300 : random() * 60_000)
  }
  // In the end somebody is signed in, and the page is visible. The count and the connection need nothing but time.
  if (server.user === null) server.signIn('bo')
  const path = random() < 0.5 ? 'works' : 'withholds'
  server.setPath(path)
  if (isAsleep) feed.notice('restored')
  await jest.advanceTimersByTimeAsync(400_000)
  const { unreadCount } = shown(feed.state)
  const byItself = { unreadCount, connection: feed.state.connection }
  feed.notice('opened')
  if (feed.state.phase === 'idle') void feed.list('all')
  await jest.advanceTimersByTimeAsync(180_000)
  const truth = server.truth(String(server.user))
  const connection = connections[path]
  const result = {
    byItself: { is: byItself, wanted: { unreadCount: truth.unreadCount, connection } },
    shown: { ...seenIn(feed.state), connection: feed.state.connection },
    truth: { ...truth, connection },
    strangers: [...strangers, ...server.strays],
  }
  feed.stop()
  return { ...result, seed, path, done }
}

test(`${sequences} random sequences end with the count and the list of Herald, and neither show nor send another user’s`, async () => {
  for (let seed = 1; seed <= sequences; seed++) {
    const { shown, truth, strangers, byItself, ...what } = await live(seed)
    const wanted = { ...what, shown: truth, strangers: [], byItself: byItself.wanted }
    expect({ ...what, shown, strangers, byItself: byItself.is }).toEqual(wanted)
  }
}, 3_600_000)
