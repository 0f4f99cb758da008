import { testBinlogDatabase } from './binlog-suite.ts'
import { startMySql, whyNoMySql } from './databases.ts'

await testBinlogDatabase({ name: 'MySQL', kind: 'mysql', why: whyNoMySql(), start: startMySql, json: '[1,2]' })
