import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type BareClone, cloneCheckout } from './bare-clone.ts'
import { eventually } from './eventually.ts'
import { leftOver, untilNothingIsLeft } from './left-over.ts'
import { npmStart, type StartedNpm } from './npm-start.ts'
import { blocksOf, paste } from './printed.ts'
import { environmentOf, findStranger } from './stranger.ts'

const stranger = findStranger()
let clone: BareClone
let started: StartedNpm

beforeAll(async () => {
  clone = await cloneCheckout(stranger)
  started = await npmStart(clone, stranger)
  console.log(
    `As ${stranger.name}, with empty caches:\n${started.output()}\nReady after ${started.seconds.toFixed(1)} s.`,
  )
}, 30 * 60_000)
afterAll(async () => {
  if (started && (await leftOver(started, clone)).length > 0) process.kill(-started.pid, 'SIGKILL')
  await clone?.remove()
}, 10 * 60_000)

const pasteBlock = (comment: string, more = '') => {
  const commands = blocksOf(started.output()).get(comment)
  if (commands === undefined) throw new Error(`npm start did not print “${comment}”.`)
  return paste(`${commands}\n${more}`, { clone, stranger, started })
}
const dataOf = async (comment: string) => JSON.parse(await pasteBlock(comment)).data

test('the printed command creates a notification', async () => {
  expect(await dataOf('Create a notification')).toMatchObject({
    type: 'mention',
    metadata: { mention: { mentionerName: 'Amara Okafor' } },
  })
})

test('the printed command lists notifications', async () => {
  const { notifications } = await dataOf("List the current user's notifications")
  expect(notifications).toHaveLength(5)
})

test('the printed command marks a notification as unread', async () => {
  expect(await dataOf('Mark one as unread')).toMatchObject({ type: 'mention', readAt: null })
})

test('the printed command lists all change entries', async () => {
  expect(await dataOf('List all change entries of the current subscriber')).toHaveLength(50)
})

test('the printed commands verify the sealed change log, and find an entry that was altered', async () => {
  const alter = `sed -i '2s/"actionType":"[^"]*"/"actionType":"approve"/' "$proof/sealed.ndjson"`
  const more = ['wc -l < "$proof/sealed.ndjson"', alter, 'verify || echo "exit code $?"', 'rm -r "$proof"'].join('\n')
  const comment = 'Verify offline that no change entry was changed, removed or inserted since it was sealed'
  // A checkpoint and fifty entries, without findings; then one.
  expect(await pasteBlock(comment, more)).toMatch(/^51\n1 0 .*\nexit code 1\n$/)
})

const mustHaveKcat = /\bkcat\b/.test(process.env.HERALD_MUST_HAVE ?? '')
const hasKcat = spawnSync('kcat', ['-V'], { env: environmentOf('/') }).status === 0
const whereKcatIs = hasKcat || mustHaveKcat ? test : test.skip
whereKcatIs('the printed command publishes an event with kcat, and the notification is listed', async () => {
  const idsOf = ({ notifications }: { notifications: { id: string }[] }) => notifications.map(({ id }) => id)
  const before = idsOf(await dataOf("List the current user's notifications"))
  await pasteBlock('Publish an event, here with kcat')
  // Its time has whole seconds, so it may be listed below a notification created in the same second.
  await eventually(
    async () => idsOf(await dataOf("List the current user's notifications")),
    (now) => now.some((id) => !before.includes(id)),
  )
})

type Activity = { mails: { subject: string; link: string }[]; mailProblem: string | null }

test('the mailbox shows e-mails about unread mentions, with links that work', async () => {
  const [, mailbox = ''] = /^E-mails at +(\S+)$/m.exec(started.output()) ?? []
  expect(mailbox).toMatch(/\/demo\/#mailbox$/)
  const { mails } = await eventually(
    async () => (await (await fetch(new URL('activity', mailbox))).json()) as Activity,
    ({ mails, mailProblem }) => mails.length > 0 || mailProblem !== null,
  )
  expect(mails[0]).toMatchObject({ subject: expect.stringMatching(/ mentioned you$/) })
  expect((await fetch(mails[0]?.link ?? '')).status).toBe(200)
})

test('the printed command erases a person, whose feed is then empty', async () => {
  const base = /^Herald runs at (\S+)$/m.exec(started.output())?.[1]
  const { token } = (await (await fetch(`${base}/demo/session?as=jonas`)).json()) as { token: string }
  const listed = async () => {
    const response = await fetch(`${base}/`, { headers: { authorization: `Bearer ${token}` } })
    return ((await response.json()) as { data: { notifications: object[] } }).data.notifications.length
  }
  expect(await listed()).toBeGreaterThan(0)
  const event = JSON.parse(await pasteBlock('Erase a person, here Jonas Lindqvist; cannot be undone'))
  expect(event).toMatchObject({ type: 'herald.person.erased.v1' })
  await eventually(listed, (count) => count === 0)
})

test.each([
  ['/demo/', 'Herald demo'],
  ['/docs', 'Herald'],
  ['/docs/events', 'Herald'],
])('serves %s and everything that it loads', async (path, title) => {
  const base = /^Herald runs at (\S+)$/m.exec(started.output())?.[1]
  const page = await fetch(`${base}${path}`)
  const html = await page.text()
  expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/html/)])
  expect(/<title>(.*?)<\/title>/.exec(html)?.[1]).toContain(title)
  const loaded = [...html.matchAll(/<(?:script|link|img)[^>]*\s(?:src|href)="([^"#]+)"/g)].map(([, url = '']) => url)
  for (const url of loaded) expect([url, (await fetch(new URL(url, page.url))).status]).toEqual([url, 200])
})

test('Ctrl-C leaves no process, port or folder', async () => {
  expect(await leftOver(started, clone)).not.toEqual([])
  process.kill(-started.pid, 'SIGINT')
  await started.exited
  await untilNothingIsLeft(started, clone)
})

test(
  'SIGTERM to npm, after a second start, leaves no process, port or folder',
  async () => {
    started = await npmStart(clone, stranger)
    console.log(`The second start:\n${started.output().slice(0, 600)}\nReady after ${started.seconds.toFixed(1)} s.`)
    process.kill(started.pid, 'SIGTERM')
    await started.exited
    await untilNothingIsLeft(started, clone)
  },
  10 * 60_000,
)

test.each(['abc', '70000'])('rejects PORT=%s with the valid range', async (PORT) => {
  await expect(npmStart(clone, stranger, { PORT })).rejects.toThrow(
    `PORT is "${PORT}"; it must be an integer from 1 to 65535.`,
  )
})
