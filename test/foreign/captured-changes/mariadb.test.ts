import { testBinlogDatabase } from './binlog-suite.ts'
import { startMariaDb, whyNoMariaDb } from './databases.ts'

await testBinlogDatabase({ name: 'MariaDB', kind: 'mariadb', why: whyNoMariaDb(), start: startMariaDb, json: '[1, 2]' })
