/** A person who was erased: the pseudonym, and the latest `createdAt` that an erasure applies to. */
export type ErasedPerson = { readonly pseudonym: string; readonly until: Date }

/** Finds a person of a subscriber; `undefined` unless they were erased. */
export type FindErased = (subscriberId: string, personId: string) => ErasedPerson | undefined

export const appliesTo = (person: ErasedPerson | undefined, createdAt: Date): person is ErasedPerson =>
  person !== undefined && createdAt <= person.until
