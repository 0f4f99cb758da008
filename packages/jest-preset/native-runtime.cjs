const { registerHooks } = require('node:module')
const { pathToFileURL } = require('node:url')
const { globalsSource, setGlobals } = require('./native-globals.cjs')

const globalsUrl = 'jest-globals:'
const timeoutKey = Symbol.for('TEST_TIMEOUT_SYMBOL')
const handlersKey = Symbol.for('EVENT_HANDLERS')

// Outside of its own module loader, Jest refuses to load `@jest/globals`.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: globalsUrl, shortCircuit: true } : next(specifier, context),
  load: (url, context, next) =>
    url === globalsUrl ? { format: 'module', source: globalsSource, shortCircuit: true } : next(url, context),
})

/**
 * Jest's runtime for test files that Node.js itself loads: its module loader, its stripping of types, one global context.
 * All files that a process runs share their modules, so that each is loaded once and not once per file; the default
 * runtime took most of the time of a small file for that. Modules can therefore not be mocked, and a file restores
 * what it changes. The environment variables are restored here.
 *
 * It has the methods that Jest 30's runner (jest-runner, runTest) and jest-circus (jestAdapter) call.
 */
class NativeRuntime {
  #environment
  #variables = { ...process.env }

  constructor(_config, environment) {
    this.#environment = environment
  }

  /** Loads the test framework anew, because it collects tests in its own state. */
  requireInternalModule(file) {
    delete require.cache[require.resolve(file)]
    delete globalThis[handlersKey]
    return require(file)
  }

  requireModule(file) {
    return require(file)
  }

  unstable_shouldLoadAsEsm() {
    return true
  }

  unstable_importModule(file) {
    return import(pathToFileURL(file).href)
  }

  setGlobalsForRuntime(globals) {
    setGlobals(globals, this.#environment)
  }

  teardown() {
    delete globalThis[timeoutKey]
    for (const key of Object.getOwnPropertySymbols(globalThis))
      if (key.description === 'JEST_STATE_SYMBOL') delete globalThis[key]
    for (const name of Object.keys(process.env)) if (!(name in this.#variables)) delete process.env[name]
    Object.assign(process.env, this.#variables)
  }

  enterTestCode() {}

  leaveTestCode() {}

  resetModules() {}

  getSourceMaps() {
    return new Map()
  }

  getAllCoverageInfoCopy() {}
}

module.exports = { __esModule: true, default: NativeRuntime }
