// Scrolls through 5,000 notifications, then rows of text, for 10 s each, and prints the frames: `node test/browser/src/frames.ts`, after a build.
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
const own = await page.locator('herald-inbox').evaluate(scrollThrough, seconds)
await page.locator('herald-inbox').evaluate((element) => element.remove())
// For comparison: rows of text of the same height, without the component.
await page.evaluate((count) => {
  const plain = document.createElement('div')
  plain.id = 'plain'
  plain.style.cssText =
    'position: fixed; inset: 0 auto auto 0; width: 400px; height: 500px; overflow: auto; background: white'
  plain.innerHTML = `<div style="height: 100px; contain: strict">Ada mentioned you in a comment</div>`.repeat(count)
  document.body.append(plain)
}, count)
const plain = await page.locator('#plain').evaluate(scrollThrough, seconds)
print(`${count} notifications`, own)
print(`${count} rows of text`, plain)
await stage.stop()
await stage.servers.stop()
process.exit()

/** Scrolls through a list, and returns the milliseconds of each frame. */
async function scrollThrough(list: Element, seconds: number): Promise<number[]> {
  const scroller = list.shadowRoot?.querySelector('.scroller') ?? list
  const height = scroller.scrollHeight - scroller.clientHeight
  const next = () => new Promise<number>(requestAnimationFrame)
  const [start, times] = [await next(), [] as number[]]
  for (let last = start, now = start; now - start < seconds * 1_000; last = now) {
    now = await next()
    times.push(now - last)
    scroller.scrollTop = (height * (now - start)) / (seconds * 1_000)
  }
  return times.slice(1)
}

function print(what: string, frames: readonly number[]): void {
  const sorted = frames.toSorted((one, other) => one - other)
  const at = (part: number) => `${(sorted[Math.floor(part * (sorted.length - 1))] as number).toFixed(1)} ms`
  const late = frames.filter((time) => time > 25).length
  console.log(
    `${what} scrolled through in ${seconds} s: ${(frames.length / seconds).toFixed(1)} frames a second; a frame took ${at(0.5)} (p50), ${at(0.99)} (p99), ${at(1)} (longest); ${late} were late`,
  )
}
