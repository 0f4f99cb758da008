import type { ReactiveController, ReactiveControllerHost } from 'lit'

/** Draws the host anew every half a minute while it is in the page, so that "now" does not stay "now". */
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
