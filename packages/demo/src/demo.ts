import '@herald/inbox'
import type { HeraldChangeLog, HeraldNotificationEvent, HeraldUnreadCountEvent } from '@herald/inbox'
import { html, nothing, render } from 'lit'
import { createRef, ref } from 'lit/directives/ref.js'
import { commentsView } from './comments.ts'
import { brandMark, groupIcon, sendIcon, themeIcon, windowIcon } from './icons.ts'
import { mailboxView } from './mailbox.ts'
import { createSentEmails } from './sent-e-mails.ts'
import {
  type Activity,
  createTokenSource,
  deleteComment,
  isLogSealed,
  openSession,
  type Published,
  publishMention,
  readActivity,
  tamper,
  type Verified,
} from './session.ts'
import { tamperingView } from './tampering.ts'
import { arrivedStep, publishedSteps, type Step, traceView } from './trace.ts'

const parameters = new URLSearchParams(location.search)
const session = await openSession(parameters.get('as'))
const token = createTokenSource(session)
const baseUrl = new URL('..', location.href).href
const changeLog = createRef<HeraldChangeLog>()
const colleagues = session.users.filter(({ key }) => key !== session.as)
const [firstColleague] = colleagues
const sentEmails = createSentEmails({ baseUrl, token }, session.as)
const activityEveryMs = 2_000
let activity: Activity = { comments: [], mails: [], mailProblem: null, altered: null }
let steps: readonly Step[] = []
let isSending = false
let problem = ''
let isGrouped = false
let isSealed = false
let isTampering = false
let verified: Verified | undefined
let tamperingProblem = ''

/** The names that only the application knows: of the people, and of what they write about. */
const names = new Map([
  ...session.users.map(({ id, name }) => [id, name] as const),
  ...session.entities.map(({ locationId, title }) => [locationId, title] as const),
])

const firstName = (name: string) => name.split(' ')[0]

function draw(): void {
  render(page(), document.body)
}

function page() {
  return html`<header class="bar">
      <div>
        <span class="brand">${brandMark} Harbour <small>a product with Herald in it</small></span>
        <nav class="who" aria-label="Signed in as">
          ${session.users.map(
            ({ key, name, image }) =>
              html`<a href="?as=${key}" title=${name} aria-current=${key === session.as ? 'true' : nothing}
                ><img class="face" src=${image} alt="" /><span>${firstName(name)}</span></a
              >`,
          )}
        </nav>
        <button class="square" type="button" aria-label="Group notifications" title="Group notifications" aria-pressed=${isGrouped} @click=${switchGroups}>
          ${groupIcon}
        </button>
        <button class="square" type="button" aria-label="Light or dark" title="Light or dark" @click=${switchTheme}>
          ${themeIcon}
        </button>
        <herald-inbox
          base-url=${baseUrl}
          .token=${token}
          .nameOf=${nameOf}
          ?grouped=${isGrouped}
          @herald-notification=${onNotification}
          @herald-unread-count=${onCount}
        ></herald-inbox>
      </div>
    </header>
    <main>
      <div class="lead">
        <h1>Mention a colleague, and watch the bell</h1>
        <p>Your comment goes through Kafka into Herald and reaches the people you mention, live.</p>
      </div>
      <div class="columns">${composer()} ${trace()}</div>
      <div class="halves">
        ${commentsView({ ...activity, as: session.as, linkedId: linkedLocation(), onDelete: (id) => void remove(id) })}
        ${mailboxView({ ...activity, problem: activity.mailProblem, emailSentAt: sentEmails.of })}
      </div>
      ${
        isSealed
          ? tamperingView({
              altered: activity.altered,
              verified,
              isBusy: isTampering,
              problem: tamperingProblem,
              onAlter: () => void tamperWith('POST'),
              onRestore: () => void tamperWith('DELETE'),
            })
          : nothing
      }
      <herald-change-log base-url=${baseUrl} .token=${token} ${ref(changeLog)}></herald-change-log>
    </main>`
}

function composer() {
  return html`<form class="card composer" @submit=${send}>
    <h2>Write a comment</h2>
    <fieldset>
      <legend>Mention</legend>
      ${colleagues.map(
        ({ key, name, image }, index) =>
          html`<label class="pick"
            ><input type="checkbox" name="to" value=${key} ?checked=${index === 0} /><img
              class="face"
              src=${image}
              alt=""
            />${name}</label
          >`,
      )}
    </fieldset>
    <textarea
      name="text"
      required
      maxlength="500"
      aria-label="Comment"
      placeholder="Could you have a look at the exit multiple?"
      @keydown=${(event: KeyboardEvent) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
          (event.target as HTMLTextAreaElement).form?.requestSubmit()
      }}
    ></textarea>
    <div class="row">
      <select name="entityId" aria-label="Where">
        ${session.entities.map(({ id, title }) => html`<option value=${id}>${title}</option>`)}
      </select>
      <button class="send" type="submit" ?disabled=${isSending}>${sendIcon} Send through Kafka</button>
    </div>
    <p class="problem" role="alert">${problem}</p>
  </form>`
}

function trace() {
  return html`<section class="card trace" aria-labelledby="trace">
    <h2 id="trace">Events</h2>
    ${
      steps.length === 0
        ? html`<p>
            Sign in as a colleague in a second window. Put the windows side by side, write here, and see the bell ring
            there. Then mark something as read in one of two windows of the same person.
          </p>`
        : traceView(steps)
    }
    ${
      firstColleague
        ? html`<a class="window" href="?as=${firstColleague.key}" target="_blank">
            ${windowIcon} Open a window as ${firstName(firstColleague.name)}
          </a>`
        : nothing
    }
  </section>`
}

async function send(event: SubmitEvent): Promise<void> {
  event.preventDefault()
  const form = event.currentTarget as HTMLFormElement
  const data = new FormData(form)
  const to = data.getAll('to').map(String)
  problem = to.length === 0 ? 'Mention at least one person.' : ''
  if (to.length === 0) return draw()
  const composed = { as: session.as, to, text: String(data.get('text')), entityId: String(data.get('entityId')) }
  await publish(async () => {
    const published = await publishMention(composed)
    form.reset()
    return published
  })
}

async function remove(id: string): Promise<void> {
  problem = ''
  await publish(() => deleteComment(id, session.as))
}

/** Alters an entry of the change log, or puts it back. */
async function tamperWith(method: 'POST' | 'DELETE'): Promise<void> {
  isTampering = true
  tamperingProblem = ''
  draw()
  try {
    verified = await tamper(method)
    await refreshActivity()
    await changeLog.value?.refresh()
  } catch (error) {
    tamperingProblem = (error as Error).message
  } finally {
    isTampering = false
    draw()
  }
}

async function publish(work: () => Promise<Published>): Promise<void> {
  isSending = true
  draw()
  try {
    addSteps(...publishedSteps(await work()))
    await refreshActivity()
    // The change appears in the log shortly after it was published.
    setTimeout(() => void changeLog.value?.refresh(), 700)
  } catch (error) {
    problem = (error as Error).message
  } finally {
    isSending = false
    draw()
  }
}

/** Returns the id of the location in the address, as in the links of e-mails. */
function linkedLocation(): string | undefined {
  return /^#[^/]+\/(.+)$/.exec(location.hash)?.[1]
}

async function refreshActivity(): Promise<void> {
  activity = await readActivity()
  draw()
  await sentEmails.refresh(activity.mails)
  draw()
}

async function followActivity(): Promise<void> {
  // Failures are retried; the bell shows that there is no connection.
  if (document.visibilityState === 'visible') {
    await refreshActivity().catch(() => {})
    isSealed ||= await isLogSealed().catch(() => false)
  }
  setTimeout(() => void followActivity(), activityEveryMs)
}

function addSteps(...added: Step[]): void {
  steps = [...added, ...steps].slice(0, 3)
  draw()
}

function onNotification(event: HeraldNotificationEvent): void {
  const { actor, createdAt } = event.detail.notification
  addSteps(arrivedStep(actor.name, createdAt))
}

function onCount(event: HeraldUnreadCountEvent): void {
  const { unreadCount } = event.detail
  document.title = unreadCount > 0 ? `(${unreadCount}) Herald demo` : 'Herald demo'
}

const nameOf = ({ id }: { readonly id: string }) => names.get(id)

function switchGroups(): void {
  isGrouped = !isGrouped
  draw()
}

function switchTheme(): void {
  const preferred = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  const theme = (document.documentElement.dataset.theme ?? preferred) === 'dark' ? 'light' : 'dark'
  document.documentElement.dataset.theme = theme
  for (const element of document.querySelectorAll('herald-inbox, herald-change-log'))
    element.setAttribute('theme', theme)
}

draw()
addEventListener('hashchange', draw)
void followActivity()
