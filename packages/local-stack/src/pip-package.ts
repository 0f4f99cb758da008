import { findCommand, runCommand } from './commands-on-path.ts'

/** Unpacks one Python package, without what it depends on, into `folder`. */
export async function unpackPipPackage(requirement: string, folder: string, environment: NodeJS.ProcessEnv) {
  const python = findCommand('python3', environment)
  if (!python) throw new Error('python3 is not on the PATH.')
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--no-compile']
  await runCommand(python, [...install, '--target', folder, requirement], {
    environment: { ...environment, PIP_ROOT_USER_ACTION: 'ignore' },
  })
}
