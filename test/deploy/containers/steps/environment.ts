import { delimiter, dirname } from 'node:path'

/**
 * The environment without this workspace: its programs, its settings, and npm's variables about it. npm's own settings stay,
 * because registry, cache and certificate authorities are those of the machine.
 */
export function outsideOfWorkspace(): NodeJS.ProcessEnv {
  const ofWorkspace =
    /^(npm_(package|lifecycle)_.*|npm_(command|execpath|node_execpath|config_(local_prefix|prefix|workspaces?|offline))|NODE_OPTIONS|NODE_ENV|INIT_CWD|CI|(TURBO|JEST|HERALD|KAFKA|MONGODB|AUTH)_.*)$/i
  const kept = Object.entries(process.env).filter(([name]) => !ofWorkspace.test(name))
  return { ...Object.fromEntries(kept), PATH: pathWithoutWorkspace(), TURBO_TELEMETRY_DISABLED: '1' }
}

/** Node.js first, because the programs of an installed workspace include it. */
export function pathWithoutWorkspace(): string {
  const others = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  return [dirname(process.execPath), ...others].join(delimiter)
}
