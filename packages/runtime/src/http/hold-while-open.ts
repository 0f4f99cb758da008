import type { FastifyReply } from 'fastify'
import { type Budget, type Owner, takeOrThrow } from '../shares/budget.ts'

/**
 * Takes a part of a budget until the response is closed. @returns false if it is closed already: nothing would release the part
 * @throws OverBudget
 */
export function holdWhileOpen(
  { raw }: Pick<FastifyReply, 'raw'>,
  budget: Pick<Budget, 'take'>,
  owner: Owner,
  amount: number,
): boolean {
  if (raw.closed) return false
  raw.once('close', takeOrThrow(budget, owner, amount))
  return true
}
