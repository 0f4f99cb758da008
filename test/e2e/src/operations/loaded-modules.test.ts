import { eventually } from '@herald/test-servers'
import { afterAll, expect, test } from '@jest/globals'
import { createPrograms } from '../support/standalone-programs.ts'

const programs = createPrograms()
afterAll(() => programs.stop())

const printModules = `
import { registerHooks } from 'node:module'
import { writeSync } from 'node:fs'
registerHooks({
  load(url, context, nextLoad) {
    const file = url.split('/node_modules/').at(-1)
    if (/^jose[/]/.test(file)) writeSync(1, 'loaded ' + file + '\\n')
    return nextLoad(url, context)
  },
})`

test.each(['ingest', 'query'])('%s starts without the encryption of jose', async (service) => {
  const { environment } = await programs.required()
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(printModules)}`
  const program = programs.start(`${service}/dist/main.js`, {
    ...environment,
    ...programs.newDatabase(),
    NODE_OPTIONS,
  })
  await eventually(async () => program.output().includes('"msg":"Started"'), {
    description: `${service} logs that it has started`,
  })
  const loaded = [...program.output().matchAll(/^loaded (\S+)$/gm)].map(([, file]) => file)
  expect(loaded).toContain('jose/dist/webapi/jwt/verify.js')
  expect(loaded.filter((file) => /\/jwe\//.test(file ?? ''))).toEqual([])
})
