import module from 'node:module'

const locales = '../locales/index.js'
const english = '../locales/en.js'
const insideZod = /\/node_modules\/zod\/v4\/[a-z]+\/[a-z]+\.js$/

/**
 * Loads zod without the translations of its messages: two thirds of its modules, which Herald does not use. Call it before
 * anything else imports zod. If a version of zod arranges its files in another way, it is loaded as usual.
 */
export async function loadZodWithoutLocales(): Promise<void> {
  // Older versions of Node.js lack the function; `runService` rejects them with a message.
  const hooks = module.registerHooks?.({
    resolve(specifier, context, nextResolve) {
      const isReplaced = specifier === locales && insideZod.test(context.parentURL ?? '')
      return nextResolve(isReplaced ? english : specifier, context)
    },
  })
  try {
    await import('zod')
  } catch {
    // The service imports zod again, without the hook.
  } finally {
    hooks?.deregister()
  }
}
