/** The user, and the subscriber of the user, whose shares something counts towards. An `Identity` is one. */
export type Owner = { readonly subscriberId: string; readonly userId: string }

/** `share`: the user or the subscriber has used up its own share. `full`: all of the budget is in use. */
export type Refusal = 'share' | 'full'

/** The release is idempotent. */
export type Taken =
  | { readonly ok: true; readonly release: () => void }
  | { readonly ok: false; readonly refused: Refusal }

export type BudgetOptions = {
  /** The most that a process, a subscriber and a user may hold at a time, in bytes or slots. */
  readonly sum: number
  readonly perSubscriber: number
  readonly perUser: number
  readonly onRefused?: (refused: Refusal) => void
}

/** Thrown for a refusal; the HTTP server responds with 429 (`share`) or 503 (`full`) and `Retry-After`. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget'
  readonly refused: Refusal

  constructor(refused: Refusal) {
    super(refused === 'share' ? 'The share of this user or subscriber is in use' : 'The process is at its limit')
    this.refused = refused
  }
}

/** The keys by which the parts of an owner are counted, and an owner that waits for its turn. */
type Keys = { readonly subscriber: string; readonly user: string }
type Waiting = { readonly keys: Keys; readonly amount: number; readonly enter: (release: () => void) => void }

/** Users of different subscribers may have the same id. */
export const userKeyOf = ({ subscriberId, userId }: Owner): string => `${subscriberId}/${userId}`

const keysOf = (owner: Owner): Keys => ({ subscriber: owner.subscriberId, user: userKeyOf(owner) })

const aloneAfterMs = 1_000
const never = { user: '', at: -Infinity }

/** Takes a part of a budget. @throws OverBudget */
export function takeOrThrow(budget: Pick<Budget, 'take'>, owner: Owner, amount: number): () => void {
  const taken = budget.take(owner, amount)
  if (!taken.ok) throw new OverBudget(taken.refused)
  return taken.release
}

/** Something bounded that all requests of a process share, and of which each user and subscriber gets only a part. */
export type Budget = ReturnType<typeof createBudget>

export function createBudget({ sum, perSubscriber, perUser, onRefused = () => {} }: BudgetOptions) {
  const parts = new Map<string, number>()
  const waiting: Waiting[] = []
  /** The last turn of everybody who was let in while others waited. */
  const turns = new Map<string, number>()
  let turn = 0
  let total = 0
  /** When the last two users took a part. */
  let [latest, previous] = [never, never]

  /** Kept free for subscribers that hold no more than this, since two could take everything with their shares. */
  const reserve = Math.max(0, Math.min(Math.ceil(sum / 8), sum - perSubscriber))

  const partOf = (key: string) => parts.get(key) ?? 0

  function add(key: string, amount: number): void {
    const part = partOf(key) + amount
    if (part > 0) parts.set(key, part)
    else parts.delete(key)
  }

  function change({ subscriber, user }: Keys, by: number): void {
    total += by
    add(subscriber, by)
    add(user, by)
  }

  function hold(keys: Keys, amount: number): () => void {
    change(keys, amount)
    if (keys.user !== latest.user) previous = latest
    latest = { user: keys.user, at: performance.now() }
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      change(keys, -amount)
      admit()
    }
  }

  // An amount above a share is allowed to an owner that holds nothing else.
  const fits = (part: number, amount: number, limit: number) => part === 0 || part + amount <= limit

  function refusalOf({ subscriber, user }: Keys, amount: number): Refusal | undefined {
    const part = partOf(subscriber)
    if (!fits(part, amount, perSubscriber)) return 'share'
    if (!fits(partOf(user), amount, perUser)) return 'share'
    return fits(total, amount, part + amount <= reserve ? sum : sum - reserve) ? undefined : 'full'
  }

  /** Whether `a` is let in before `b`: by what the subscriber holds, then by whose turn is longer ago; then by user. */
  function isBefore(a: Keys, b: Keys): boolean {
    for (const kind of ['subscriber', 'user'] as const) {
      const [one, other] = [a[kind], b[kind]]
      const difference = partOf(one) - partOf(other) || (turns.get(one) ?? 0) - (turns.get(other) ?? 0)
      if (difference !== 0) return difference < 0
    }
    return false
  }

  /**
   * The next one. None overtakes another of its own user, which would wait as long as smaller ones come; for the same reason
   * only those that the reserve is for overtake the next one.
   */
  function nextWaiting(): Waiting | undefined {
    const passed = new Set<string>()
    let next: Waiting | undefined
    let small: Waiting | undefined
    for (const one of waiting) {
      const { keys, amount } = one
      if (passed.has(keys.user)) continue
      passed.add(keys.user)
      const refused = refusalOf(keys, amount)
      if (refused === 'share') continue
      if (next === undefined || isBefore(keys, next.keys)) next = one
      if (refused !== undefined || partOf(keys.subscriber) + amount > reserve) continue
      if (small === undefined || isBefore(keys, small.keys)) small = one
    }
    return next && refusalOf(next.keys, next.amount) === undefined ? next : small
  }

  function admit(): void {
    while (waiting.length > 0 && total < sum) {
      const next = nextWaiting()
      if (next === undefined) break
      waiting.splice(waiting.indexOf(next), 1)
      turn++
      turns.set(next.keys.subscriber, turn).set(next.keys.user, turn)
      next.enter(hold(next.keys, next.amount))
    }
    if (waiting.length === 0) turns.clear()
  }

  function wait(keys: Keys, amount: number, waitMs: number): (() => void) | Promise<() => void> {
    if (waiting.length === 0 && refusalOf(keys, amount) === undefined) return hold(keys, amount)
    return new Promise((resolve, reject) => {
      const one: Waiting = {
        keys,
        amount,
        enter(release) {
          clearTimeout(timer)
          resolve(release)
        },
      }
      const timer = setTimeout(() => {
        const refused = refusalOf(keys, amount) ?? 'full'
        waiting.splice(waiting.indexOf(one), 1)
        onRefused(refused)
        reject(new OverBudget(refused))
        admit()
      }, waitMs)
      waiting.push(one)
      admit()
    })
  }

  return {
    /** Takes a part at once, or not at all. */
    take(owner: Owner, amount: number): Taken {
      const keys = keysOf(owner)
      const refused = refusalOf(keys, amount)
      if (refused === undefined) return { ok: true, release: hold(keys, amount) }
      onRefused(refused)
      return { ok: false, refused }
    },
    /** Waits for a part, and runs `work` while it holds it. @throws OverBudget after `waitMs` */
    async within<Result>(owner: Owner, amount: number, work: () => Promise<Result>, waitMs = 8_000): Promise<Result> {
      const release = await wait(keysOf(owner), amount, waitMs)
      try {
        return await work()
      } finally {
        release()
      }
    },
    held: () => total,
    /** Whether no other user took a part in the last second. */
    isAlone(owner: Owner): boolean {
      const other = keysOf(owner).user === latest.user ? previous : latest
      return other.at < performance.now() - aloneAfterMs
    },
  }
}
