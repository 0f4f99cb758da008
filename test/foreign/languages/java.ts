import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { findCommand, findJava, findMavenJars } from '@herald/test-servers'
import { runOpenApiGenerator } from './generators.ts'
import { exampleFile, findOptions, type Language, orFail, ownFile, run } from './toolchain.ts'

/** The imports of the generated client, in the versions of its own pom.xml. */
const clientJars = [
  'com.fasterxml.jackson.core:jackson-databind:2.21.5',
  'com.fasterxml.jackson.datatype:jackson-datatype-jsr310:2.21.5',
  'org.openapitools:jackson-databind-nullable:0.2.11',
  'com.google.code.findbugs:jsr305:3.0.2',
  'jakarta.annotation:jakarta.annotation-api:1.3.5',
]
const publisherJars = ['org.apache.kafka:kafka-clients:3.9.1', 'org.slf4j:slf4j-simple:1.7.36']

/** Without the last two, a client rejects fields and values that a later release adds. */
const properties = [
  ...['invokerPackage=org.example.herald', 'apiPackage=org.example.herald.api'],
  ...['modelPackage=org.example.herald.model', 'hideGenerationTimestamp=true'],
  ...['disallowAdditionalPropertiesIfNotPresent=false', 'enumUnknownDefaultCase=true'],
].join()

export const compilerOf = (java: string) => findCommand('javac', { PATH: dirname(java) })

export const java: Language = {
  name: 'Java',
  example: 'java/Publish.java',
  source: '/examples/java',
  async whyNot() {
    if (findCommand('mvn', process.env) === undefined) return orFail('maven', 'mvn is not on the PATH')
    const compiler = await findJava(findOptions).then(compilerOf, () => undefined)
    return orFail('default-jdk-headless', compiler === undefined ? 'there is no javac of Java 17 or newer' : undefined)
  },
  async build(document, folder) {
    const runtime = await findJava(findOptions)
    const jarsOf = async (name: string, artifacts: readonly string[]) =>
      join(await findMavenJars(runtime, { name, artifacts }, findOptions), 'jars', '*')
    const libraries = await jarsOf('java-client-libraries-2.21.5', clientJars)
    const kafka = await jarsOf('java-publisher-libraries-3.9.1', publisherJars)
    const target = ['-g', 'java', '--library', 'native', '-i', document, '-o', join(folder, 'generated')]
    const only = '--global-property=apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'
    await runOpenApiGenerator(folder, [...target, `--additional-properties=${properties}`, only])
    const sources = join(folder, 'generated/src/main/java')
    const generated = (await readdir(sources, { recursive: true })).filter((name) => name.endsWith('.java'))
    const classes = join(folder, 'classes')
    await mkdir(classes)
    await copyFile(ownFile('clients/java/Client.java'), join(sources, 'Client.java'))
    const files = [...generated, 'Client.java'].map((name) => join(sources, name))
    const compile = (classpath: string, ...names: readonly string[]) =>
      run(compilerOf(runtime) ?? 'javac', ['-nowarn', '-proc:none', '-cp', classpath, '-d', classes, ...names], folder)
    await compile(libraries, ...files)
    await compile(kafka, exampleFile('java/Publish.java'))
    return {
      client: { command: runtime, args: ['-cp', `${classes}:${libraries}`, 'Client'], environment: {} },
      publisher: { command: runtime, args: ['-cp', `${classes}:${kafka}`, 'Publish'], environment: {} },
    }
  },
}
