import type { Logger } from '../logging/logger.ts'
import type { ServiceProcess } from './shutdown.ts'

export type ProcessWarningsDependencies = {
  readonly process: Pick<ServiceProcess, 'on' | 'removeAllListeners'>
  readonly logger: Pick<Logger, 'warn' | 'debug'>
}

/**
 * Makes lines of the logger of what Node.js and libraries warn about, in place of the text that Node.js writes to standard
 * error: one of each kind, and its repetitions only at `debug`, for some come with every timer.
 */
export function logProcessWarnings({ process, logger }: ProcessWarningsDependencies): void {
  const told = new Set<string>()
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message, code }: Error & { code?: string }) => {
    const kind = `${name} ${code}`
    const level = told.has(kind) ? 'debug' : 'warn'
    told.add(kind)
    logger[level]({ warning: name, code }, message)
  })
}
