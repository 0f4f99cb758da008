// Scrolls through 5,000 notifications for 10 s and prints the frames: `node test/browser/src/frames.ts`, after a build.
import { randomUUID } from 'node:crypto'
import { inboxOf } from './inbox-page.ts'
import { loadAll, scrollTo } from './scrolling.ts'
import { startStage } from './stage.ts'

const count = 5_000
const seconds = 10

const stage = await startStage()
const user = randomUUID()
await stage.mentionOften(user, count)
const page = await stage.openHost(['herald-inbox'], { sub: user })
const inbox = inboxOf(page)
await inbox.untilUnread(count)
await inbox.open()
await loadAll(page)
await scrollTo(page, 0)
const frames = await page.locator('herald-inbox').evaluate(async (element, seconds) => {
  const scroller = element.shadowRoot?.querySelector('.scroller') as HTMLElement
  const height = scroller.scrollHeight - scroller.clientHeight
  const next = () => new Promise<number>(requestAnimationFrame)
  const [start, times] = [await next(), [] as number[]]
  for (let last = start, now = start; now - start < seconds * 1_000; last = now) {
    now = await next()
    times.push(now - last)
    scroller.scrollTop = (height * (now - start)) / (seconds * 1_000)
  }
  return times.slice(1)
}, seconds)
const sorted = frames.toSorted((one, other) => one - other)
const at = (part: number) => `${(sorted[Math.floor(part * (sorted.length - 1))] as number).toFixed(1)} ms`
const late = frames.filter((time) => time > 25).length
console.log(
  `${count} notifications scrolled through in ${seconds} s: ${(frames.length / seconds).toFixed(1)} frames a second; a frame took ${at(0.5)} (p50), ${at(0.99)} (p99), ${at(1)} (longest); ${late} were late`,
)
await stage.stop()
await stage.servers.stop()
process.exit()
