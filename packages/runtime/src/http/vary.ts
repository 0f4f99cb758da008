import type { FastifyReply } from 'fastify'

/** Adds a field to `Vary`, and keeps those that a route has set. */
export function addVary(reply: FastifyReply, field: string): void {
  const given = [reply.getHeader('vary') ?? []].flat().join(', ')
  const fields = given.split(/\s*,\s*/).filter((name) => name !== '')
  if (fields.some((name) => name.toLowerCase() === field.toLowerCase())) return
  reply.header('vary', [...fields, field].join(', '))
}
