import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

const composeFile = new URL('../../../docker-compose.yml', import.meta.url)

/** The image, with its version, that docker-compose.yml names for a service: the one place where they are chosen. */
export function composeImage(service: 'kafka' | 'mongodb'): string {
  const { services } = parse(readFileSync(composeFile, 'utf8'), { merge: true }) as {
    services: Record<string, { image?: string }>
  }
  const image = services[service]?.image
  if (!image) throw new Error(`docker-compose.yml names no image for ${service}.`)
  return image
}

/** `4.1.0` of `apache/kafka:4.1.0`, with or without a digest. */
export function versionOf(image: string): string {
  const version = /:([\w.-]+)(?:@sha256:[0-9a-f]{64})?$/.exec(image)?.[1]
  if (!version) throw new Error(`${image} has no version.`)
  return version
}
