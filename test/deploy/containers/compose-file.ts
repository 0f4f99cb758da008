import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { root } from './docker.ts'

type Service = {
  readonly image: string
  readonly build?: { readonly target: string }
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string | null>>
}

/** The services of docker-compose.yml by name, with the defaults of its variables. */
export function composeServices(): ReadonlyMap<string, Service> {
  const text = readFileSync(`${root}docker-compose.yml`, 'utf8').replace(/\$\{\w+:-([^}]*)\}/g, '$1')
  const { services } = parse(text, { merge: true })
  return new Map(Object.entries(services))
}
