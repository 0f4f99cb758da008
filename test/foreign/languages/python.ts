import { delimiter, join } from 'node:path'
import process from 'node:process'
import { fetchPythonPackages, whyNoPip } from '@herald/test-servers'
import { exampleFile, findOptions, type Language, orFail, ownFile, run } from './toolchain.ts'

export const python: Language = {
  name: 'Python',
  example: 'python/publish.py',
  source: '/examples/python',
  whyNot: async () => orFail('python3', whyNoPip(process.env)),
  async build(document, folder) {
    const { python: command, folder: packages } = await fetchPythonPackages(
      'openapi-python-client',
      ownFile('requirements.txt'),
      findOptions,
    )
    const environment = {
      PYTHONPATH: packages,
      PYTHONDONTWRITEBYTECODE: '1',
      PATH: [join(packages, 'bin'), process.env.PATH].join(delimiter),
    }
    const target = ['--meta', 'none', '--output-path', join(folder, 'herald_client')]
    await run(command, ['-m', 'openapi_python_client', 'generate', '--path', document, ...target], folder, environment)
    return {
      client: {
        command,
        args: [ownFile('clients/python/client.py')],
        environment: { ...environment, PYTHONPATH: [packages, folder].join(delimiter) },
      },
      publisher: { command, args: [exampleFile('python/publish.py')], environment },
    }
  },
}
