const names = ['afterAll', 'afterEach', 'beforeAll', 'beforeEach', 'describe', 'expect', 'it', 'jest', 'test']
const key = Symbol.for('herald.jest-globals')
const timeoutKey = Symbol.for('TEST_TIMEOUT_SYMBOL')

/** The module `@jest/globals`. Modules that stay loaded use the globals of the test file that runs now. */
const globalsSource = `
const current = (name) => globalThis[Symbol.for('${key.description}')][name]
const follow = (name) =>
  new Proxy(() => {}, {
    apply: (_target, _self, values) => current(name)(...values),
    get: (_target, property) => current(name)[property],
  })
${names.map((name) => `export const ${name} = follow('${name}')`).join('\n')}
`

/** Sets the globals of the next test file. */
function setGlobals(globals, { moduleMocker, fakeTimersModern: timers }) {
  const jest = {
    fn: (implementation) => moduleMocker.fn(implementation),
    spyOn: (...target) => moduleMocker.spyOn(...target),
    restoreAllMocks: () => moduleMocker.restoreAllMocks(),
    useFakeTimers: (options) => timers.useFakeTimers(options),
    useRealTimers: () => timers.useRealTimers(),
    setSystemTime: (time) => timers.setSystemTime(time),
    advanceTimersByTime: (milliseconds) => timers.advanceTimersByTime(milliseconds),
    advanceTimersByTimeAsync: (milliseconds) => timers.advanceTimersByTimeAsync(milliseconds),
    setTimeout(milliseconds) {
      globalThis[timeoutKey] = milliseconds
    },
  }
  globalThis[key] = { ...globals, jest }
}

module.exports = { globalsSource, setGlobals }
