import type { ReactiveController, ReactiveControllerHost } from 'lit'

/** Rerenders the host periodically while it is connected, so that relative times stay current. */
export function tickEvery(host: ReactiveControllerHost, milliseconds = 30_000): void {
  let timer: ReturnType<typeof setInterval> | undefined
  const controller: ReactiveController = {
    hostConnected() {
      timer = setInterval(() => host.requestUpdate(), milliseconds)
    },
    hostDisconnected() {
      clearInterval(timer)
    },
  }
  host.addController(controller)
}
