import type { FastifyReply } from 'fastify'

/** Adds to the header fields of the request on which the answer depends; what a route said of them stays. */
export function addVary(reply: FastifyReply, field: string): void {
  const given = [reply.getHeader('vary') ?? []].flat().join(', ')
  const fields = given.split(/\s*,\s*/).filter((name) => name !== '')
  if (fields.some((name) => name.toLowerCase() === field.toLowerCase())) return
  reply.header('vary', [...fields, field].join(', '))
}
