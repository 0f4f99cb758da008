import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

const composeFile = new URL('../../../../docker-compose.yml', import.meta.url)

/** Returns the image of a service in docker-compose.yml, the only place that defines the versions of the servers. */
export function composeImage(service: 'kafka' | 'mongodb'): string {
  const { services } = parse(readFileSync(composeFile, 'utf8'), { merge: true }) as {
    services: Record<string, { image?: string }>
  }
  const image = services[service]?.image
  if (!image) throw new Error(`docker-compose.yml has no image for ${service}.`)
  return image
}

/** Returns `4.1.0` for `apache/kafka:4.1.0`, with or without a digest. */
export function versionOf(image: string): string {
  const version = /:([\w.-]+)(?:@sha256:[0-9a-f]{64})?$/.exec(image)?.[1]
  if (!version) throw new Error(`${image} has no version.`)
  return version
}
