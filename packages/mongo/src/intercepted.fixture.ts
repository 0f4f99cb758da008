import type { Db } from 'mongodb'

/** Called before and after each operation with its number, from 1, and the name of the driver's method, or of the command. */
export type Intercept = (operation: number, when: 'before' | 'after', name: string) => Promise<void>

const operationNames = new Set([
  'insertOne',
  'bulkWrite',
  'updateOne',
  'updateMany',
  'deleteOne',
  'deleteMany',
  'findOne',
])

/** Wraps collections so that each operation on MongoDB is counted and intercepted. */
export function createInterceptor(intercept: Intercept = async () => {}) {
  let operations = 0
  const run = async <T>(name: string, operate: () => Promise<T>): Promise<T> => {
    const operation = ++operations
    await intercept(operation, 'before', name)
    const result = await operate()
    await intercept(operation, 'after', name)
    return result
  }
  const wrapCursor = <C extends object>(cursor: C): C =>
    new Proxy(cursor, {
      get(target, name) {
        const value = Reflect.get(target, name) as never as (...given: unknown[]) => never
        if (name === 'toArray' || name === 'next') return () => run(name, () => value.call(target))
        if (name === 'sort' || name === 'limit' || name === 'skip')
          return (...given: unknown[]) => wrapCursor(value.apply(target, given))
        if (name !== Symbol.asyncIterator) return typeof value === 'function' ? value.bind(target) : value
        return async function* iterate() {
          yield* await run('find', () => (target as unknown as { toArray(): Promise<unknown[]> }).toArray())
        }
      },
    })
  const wrapDatabase = (database: Db) => ({
    client: database.client,
    command: (given: object, options: object) =>
      run(Object.keys(given)[0] ?? '', () => database.command(given, options)),
  })
  const wrapOne = <T extends object>(collection: T): T =>
    new Proxy(collection, {
      get(target, name) {
        const value = Reflect.get(target, name) as never as (...given: unknown[]) => never
        if (name === 'db') return wrapDatabase(value as unknown as Db)
        if (typeof name !== 'string' || typeof value !== 'function') return value
        if (name === 'find') return (...given: unknown[]) => wrapCursor(value.apply(target, given))
        if (!operationNames.has(name)) return value.bind(target)
        return (...given: unknown[]) => run(name, () => value.apply(target, given))
      },
    })
  return {
    operations: () => operations,
    /** The collections, of which these are intercepted, or all. */
    wrap<Collections extends Record<string, object>>(
      collections: Collections,
      names = Object.keys(collections) as (keyof Collections)[],
    ): Collections {
      return {
        ...collections,
        ...Object.fromEntries(names.map((name) => [name, wrapOne(collections[name] as object)])),
      }
    },
  }
}
