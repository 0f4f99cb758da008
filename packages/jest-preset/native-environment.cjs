const { ModernFakeTimers } = require('@jest/fake-timers')
const { ModuleMocker } = require('jest-mock')

/** Jest's environment for `native-runtime`: the global context of the process itself. */
module.exports = class NativeEnvironment {
  constructor({ projectConfig }) {
    // Jest defines a console and an exit of its own here, which would stay in the process.
    this.global = Object.create(globalThis, { process: { value: undefined } })
    this.moduleMocker = new ModuleMocker(globalThis)
    this.fakeTimers = null
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis })
  }

  setup() {}

  teardown() {
    this.fakeTimersModern.dispose()
    this.moduleMocker.restoreAllMocks()
  }

  getVmContext() {
    return null
  }
}
