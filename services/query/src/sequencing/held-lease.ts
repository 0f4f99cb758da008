import type { Leases } from '@herald/store'

/** Leases, and whether this process has one, which work beside it may ask without renewing the lease. */
export function observeLease({ hold, release }: Leases) {
  let heldUntil = Number.NEGATIVE_INFINITY
  const leases: Leases = {
    async hold(name, lease) {
      const asked = performance.now()
      const isHeld = await hold(name, lease)
      heldUntil = isHeld ? asked + lease.ms : Number.NEGATIVE_INFINITY
      return isHeld
    },
    async release(name, holder) {
      heldUntil = Number.NEGATIVE_INFINITY
      await release(name, holder)
    },
  }
  return { leases, isHeld: () => performance.now() < heldUntil }
}
