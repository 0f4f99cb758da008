// Pins third-party images to their digests, read from their registries; `--check` only lists images without a digest. Locally
// built images (herald/…) and stages of the Dockerfile are ignored.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const files = [
  'docker-compose.yml',
  'deploy/Dockerfile',
  ...['kafka', 'mongodb', 'gateway'].map((name) => `deploy/kustomize/overlays/local/${name}.yaml`),
]
const reference = /^(\s*image: |FROM |# syntax=)([\w./-]+:[\w.-]+)(@sha256:[0-9a-f]{64})?(?=\s|$)/gm
const isOwn = (name) => name.startsWith('herald/') || name.startsWith('herald.invalid/')

const digests = new Map()
function digestOf(name) {
  if (!digests.has(name)) {
    const args = ['buildx', 'imagetools', 'inspect', name, '--format', '{{json .Manifest}}']
    digests.set(name, JSON.parse(execFileSync('docker', args, { encoding: 'utf8' })).digest)
  }
  return digests.get(name)
}

const without = []
for (const file of files) {
  const text = readFileSync(`${root}${file}`, 'utf8')
  const pinned = text.replace(reference, (whole, start, name, digest) => {
    if (isOwn(name) || digest) return whole
    without.push(`${file}: ${name}`)
    return process.argv.includes('--check') ? whole : `${start}${name}@${digestOf(name)}`
  })
  if (pinned !== text) writeFileSync(`${root}${file}`, pinned)
}
if (process.argv.includes('--check')) {
  for (const line of without) process.stdout.write(`Without a digest: ${line}\n`)
  process.exitCode = without.length > 0 ? 1 : 0
}
