export { cacheFolder } from './downloads/cache-folder.ts'
export { findJava } from './downloads/java.ts'
export { findMavenJars, type MavenJars } from './downloads/maven-jars.ts'
export { whyNoPip } from './downloads/pip-package.ts'
export { fetchPythonPackages, type PythonPackages } from './downloads/python-packages.ts'
export type { FindOptions } from './find-options.ts'
export { type StartedKafkaCluster, startKafkaCluster } from './kafka/kafka-cluster.ts'
export { type KafkaProgramOptions, type StartedKafkaProgram, startKafkaProgram } from './kafka/kafka-program.ts'
export { findKcat, type Kcat } from './kafka/kcat.ts'
export { createMovableTopic, type MovableTopic } from './kafka/moved-leaders.ts'
export {
  checkpointTopic,
  createTopic,
  createTopics,
  defaultTopics,
  type HeraldTopics,
  topicsWithSuffix,
} from './kafka/topics.ts'
export { databaseOfRun, databaseOfWorker, emptyDatabase, migrateOnce } from './mongodb/database-of-run.ts'
export { type HoldingProxy, startHoldingProxy } from './mongodb/holding-proxy.ts'
export { whyNoMongod } from './mongodb/mongod-file.ts'
export { type MongodProgramOptions, type StartedMongodProgram, startMongodProgram } from './mongodb/mongod-program.ts'
export { type ReplicaSetOptions, type StartedReplicaSet, startReplicaSet } from './mongodb/replica-set.ts'
export { emptiedDatabase, newDatabase, sharedDatabase, type TestDatabase } from './mongodb/test-database.ts'
export { mustHave } from './must-have.ts'
export { findCommand, runCommand } from './processes/commands-on-path.ts'
export { findFreePort, findFreePorts, isFree } from './processes/free-port.ts'
export { createOutputLines } from './processes/output-lines.ts'
export { eventually, type PollOptions } from './processes/polling.ts'
export { type Exit, type ProgramOptions, type StartedProgram, startProgram } from './processes/program.ts'
export { findServerPrograms, whyNoServerPrograms } from './server-programs.ts'
export {
  type StartedKafka,
  type StartedMongoDB,
  type StartedServers,
  startMongoDB,
  startServers,
} from './servers.ts'
export type { Found } from './ways-to-a-server.ts'
