export {
  allScopes,
  connectTokenIssuer,
  createTokenIssuer,
  type TokenClaims,
  type TokenIssuer,
  type TokenIssuerOptions,
  type TokenOverrides,
} from '@herald/token-issuer'
export { instructions } from './commands/instructions.ts'
export type { SampleAccount } from './commands/samples.ts'
export { type DemoStackOptions, type StartedDemo, startDemo } from './demo/start-demo.ts'
export type { FindOptions } from './find-options.ts'
export { findFreePorts } from './free-port.ts'
export { type GatewayOptions, type StartedGateway, startGateway } from './gateway.ts'
export { type GuideRun, type GuideStep, runGuide } from './guide.ts'
export { type HeraldOptions, type StartedHerald, startHerald } from './herald.ts'
export { findJava } from './java.ts'
export { type KafkaProgramOptions, type StartedKafkaProgram, startKafkaProgram } from './kafka-program.ts'
export { findKcat, type Kcat } from './kcat.ts'
export { type StartedKeyServer, startKeyServer } from './key-server.ts'
export { findMavenJars, type MavenJars } from './maven-jars.ts'
export { whyNoMongod } from './mongod-file.ts'
export { type MongodProgramOptions, type StartedMongodProgram, startMongodProgram } from './mongod-program.ts'
export { mustHave } from './must-have.ts'
export { whyNoPip } from './pip-package.ts'
export { eventually, type PollOptions } from './polling.ts'
export { type Exit, type ProgramOptions, type StartedProgram, startProgram } from './program.ts'
export { fetchPythonPackages, type PythonPackages } from './python-packages.ts'
export { type ReplicaSetOptions, type StartedReplicaSet, startReplicaSet } from './replica-set.ts'
export { findServerPrograms, whyNoServerPrograms } from './server-programs.ts'
export {
  type StartedKafka,
  type StartedMongoDB,
  type StartedServers,
  startKafka,
  startMongoDB,
  startServers,
} from './servers.ts'
export { nodeArguments, type ServiceName, type StartedService, serviceFile, startService } from './service.ts'
export { tokenSettings, topicSettings } from './service-settings.ts'
export { createTopics, defaultTopics, type HeraldTopics, topicsWithSuffix } from './topics.ts'
export { type Found, ServerNotFound } from './ways-to-a-server.ts'
