import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { fetchPythonPackages } from '@herald/test-servers'

const run = promisify(execFile)
const requirements = fileURLToPath(new URL('requirements.txt', import.meta.url))

/** An environment in which `python3` can import librdkafka's client: installed already, or fetched by pip into the cache. */
export async function findPythonClient(log: (line: string) => void): Promise<NodeJS.ProcessEnv> {
  const environment = { ...process.env, PYTHONUNBUFFERED: '1' }
  if (await canImportClient(environment)) return environment
  const { folder } = await fetchPythonPackages('confluent-kafka', requirements, { log })
  const found = { ...environment, PYTHONPATH: folder }
  if (!(await canImportClient(found))) throw new Error(`python3 cannot import the client in ${folder}.`)
  return found
}

function canImportClient(environment: NodeJS.ProcessEnv): Promise<boolean> {
  return run('python3', ['-c', 'import confluent_kafka'], { env: environment }).then(
    () => true,
    () => false,
  )
}
