import type { Logger } from '../logging/logger.ts'
import type { ServiceProcess } from './shutdown.ts'

export type ProcessWarningsDependencies = {
  readonly process: Pick<ServiceProcess, 'on' | 'removeAllListeners'>
  readonly logger: Pick<Logger, 'warn' | 'debug'>
}

/**
 * Logs warnings of Node.js and of libraries instead of letting Node.js print them to standard error. Repetitions of the
 * same kind are logged at `debug`, because some occur with every timer.
 */
export function logProcessWarnings({ process, logger }: ProcessWarningsDependencies): void {
  const seen = new Set<string>()
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message, code }: Error & { code?: string }) => {
    const kind = `${name} ${code}`
    const level = seen.has(kind) ? 'debug' : 'warn'
    seen.add(kind)
    logger[level]({ warning: name, code }, message)
  })
}
