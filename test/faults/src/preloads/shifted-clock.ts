// Preloaded by a process whose clock is to differ from that of the others.
const shiftMs = Number(process.env.HERALD_CLOCK_SHIFT_MS ?? 0)
const RealDate = Date
const now = () => RealDate.now() + shiftMs

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, key, receiver) => (key === 'now' ? now : Reflect.get(target, key, receiver)),
})
