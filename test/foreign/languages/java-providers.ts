import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { eventually, findFreePort, findJava, findMavenJars, startProgram } from '@herald/test-servers'
import { compilerOf } from './java.ts'
import { findOptions, ownFile, run } from './toolchain.ts'

export const springBoot = '4.1.2'
export const keycloak = '26.7.3'

/** A provider that runs, and how it is asked for a token. */
export type StartedProvider = {
  readonly issuer: string
  readonly keys: string
  /** Its access token with these scopes. */
  tokenWith(scope: string): Promise<string>
  stop(): Promise<unknown>
}

async function askForToken(url: string, form: Readonly<Record<string, string>>, headers = {}): Promise<string> {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(form), headers })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return ((await answer.json()) as { access_token: string }).access_token
}

const isAnswered = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

/** Spring Authorization Server, in Spring Boot. */
export async function startSpring(folder: string): Promise<StartedProvider> {
  const java = await findJava(findOptions)
  const artifact = `org.springframework.boot:spring-boot-starter-oauth2-authorization-server:${springBoot}`
  const jars = { name: `spring-authorization-server-${springBoot}`, artifacts: [artifact] }
  const libraries = join(await findMavenJars(java, jars, findOptions), 'jars', '*')
  const sources = ['-nowarn', '-proc:none', '-cp', libraries, '-d', folder, ownFile('providers/spring/Server.java')]
  await run(compilerOf(java) ?? 'javac', sources, folder)
  const port = await findFreePort()
  const server = await startProgram({
    name: 'Spring Authorization Server',
    command: java,
    args: ['-Xmx256m', '-cp', `${folder}:${libraries}`, 'org.example.login.Server', String(port)],
    environment: process.env,
    ready: { url: `http://127.0.0.1:${port}/.well-known/openid-configuration` },
  })
  const issuer = `http://127.0.0.1:${port}`
  const client = { grant_type: 'client_credentials', client_id: 'app', client_secret: 'secret' }
  return {
    issuer,
    keys: `${issuer}/oauth2/jwks`,
    tokenWith: (scope) => askForToken(`${issuer}/oauth2/token`, { ...client, scope }),
    stop: () => server.stop(),
  }
}

type StartedKeycloak = StartedProvider & {
  /** Adds a key that signs from then on. */
  rotate(): Promise<void>
}

/** Keycloak from its distribution, with a realm as the guide sets it up. */
export async function startKeycloak(folder: string): Promise<StartedKeycloak> {
  const java = await findJava(findOptions)
  const unpack = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack'
  const artifact = `-Dartifact=org.keycloak:keycloak-quarkus-dist:${keycloak}:zip`
  await run('mvn', ['-B', '-q', unpack, artifact, `-DoutputDirectory=${folder}`], folder)
  const home = join(folder, `keycloak-${keycloak}`)
  const realms = join(home, 'data/import')
  await mkdir(realms, { recursive: true })
  await copyFile(ownFile('providers/keycloak/realm.json'), join(realms, 'realm.json'))
  const port = await findFreePort()
  const server = await startProgram({
    name: 'Keycloak',
    command: join(home, 'bin/kc.sh'),
    args: ['start-dev', `--http-port=${port}`, '--http-host=127.0.0.1', '--import-realm'],
    environment: {
      ...{ ...process.env, JAVA: java, JAVA_OPTS_KC_HEAP: '-Xms64m -Xmx512m', KC_CACHE: 'local' },
      ...{ KC_BOOTSTRAP_ADMIN_USERNAME: 'admin', KC_BOOTSTRAP_ADMIN_PASSWORD: 'admin' },
    },
    // It then builds itself, for a time that depends on the machine.
    ready: { line: /Updating the configuration|Running the server/ },
  })
  const base = `http://127.0.0.1:${port}`
  const issuer = `${base}/realms/acme`
  await eventually(() => isAnswered(issuer), { description: 'Keycloak answers', within: 500_000, every: 1_000 })
  const client = { grant_type: 'password', client_id: 'app', client_secret: 'secret' }
  const admin = { grant_type: 'password', client_id: 'admin-cli', username: 'admin', password: 'admin' }
  return {
    issuer,
    keys: `${issuer}/protocol/openid-connect/certs`,
    tokenWith: (scope) =>
      askForToken(`${issuer}/protocol/openid-connect/token`, { ...client, username: 'ada', password: 'secret', scope }),
    async rotate() {
      const token = await askForToken(`${base}/realms/master/protocol/openid-connect/token`, admin)
      const answer = await fetch(`${base}/admin/realms/acme/components`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          ...{ name: 'next', providerId: 'rsa-generated', providerType: 'org.keycloak.keys.KeyProvider' },
          config: { priority: ['1000'] },
        }),
      })
      if (answer.status !== 201) throw new Error(`Keycloak answered ${answer.status}: ${await answer.text()}`)
    },
    stop: () => server.stop(),
  }
}
