import { readFileSync } from 'node:fs'
import { startKafkaProgram } from './kafka/kafka-program.ts'
import { startReplicaSet } from './mongodb/replica-set.ts'

// Starts both servers as programs, prints their process ids and folders, and is then killed by the test.
const [kafka, mongodb] = await Promise.all([startKafkaProgram(), startReplicaSet()])
const pids = [kafka.pid, ...mongodb.members.map(({ pid }) => pid)]
const folders = pids.flatMap(
  (pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').match(/\/[^\0]*herald-(kafka|mongod)-\w+/) ?? [],
)
console.log(JSON.stringify({ pids, folders: folders.filter((folder) => folder.startsWith('/')) }))
