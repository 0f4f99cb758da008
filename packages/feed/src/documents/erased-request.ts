import { Binary } from 'mongodb'

/** An erased request has neither content nor hash: a hash would confirm a body that somebody guesses. */
export const erasedRequest = { content: '', bodyHash: new Binary(), erased: true } as const
