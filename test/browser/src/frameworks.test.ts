import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { build } from 'esbuild'
import { compile } from 'svelte/compiler'
import { compileScript, parse, type SFCTemplateCompileOptions } from 'vue/compiler-sfc'
import { inboxOf } from './inbox-page.ts'
import { prepareStage } from './prepare-stage.ts'

const stage = await prepareStage()
const folder = fileURLToPath(new URL('.', import.meta.url))
const guide = new URL('../../../packages/web-components/guides/use-in-vue-and-svelte.md', import.meta.url)

async function example(language: string): Promise<string> {
  const [, code = ''] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(await readFile(guide, 'utf8')) ?? []
  return code.replaceAll('https://api.example/v1', stage.herald.baseUrl)
}

async function fromVue(): Promise<string> {
  const settings = await example('js')
  const template = new Function(`${settings}; return template`)() as Partial<SFCTemplateCompileOptions>
  const { descriptor } = parse(await example('vue'))
  const { content } = compileScript(descriptor, { id: 'application', inlineTemplate: true, templateOptions: template })
  return `${content.replace('export default', 'const application =')}
    import { createApp } from 'vue'
    createApp(application).mount('main')`
}

async function fromSvelte(): Promise<string> {
  const { js } = compile(await example('svelte'), { generate: 'client', name: 'Application' })
  return `${js.code.replace('export default function', 'function')}
    import { mount } from 'svelte'
    mount(Application, { target: document.querySelector('main') })`
}

test.each([
  ['Vue', 'vue', fromVue],
  ['Svelte', 'svelte', fromSvelte],
])('the ten lines of %s are sufficient', async (_, language, compiled) => {
  const lines = (await example(language)).split('\n').filter((line) => line.trim() !== '')
  expect(lines.length).toBeLessThanOrEqual(10)
  const session = `const session = { accessToken: async () => (await fetch('/session/token')).text() }`
  const { outputFiles } = await build({
    stdin: { contents: `${session}\n${await compiled()}`, resolveDir: folder },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['svelte', 'browser'],
    define: {
      'process.env.NODE_ENV': '"production"',
      __VUE_OPTIONS_API__: 'false',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    write: false,
  })
  const page = await stage.openContent('<!doctype html><html lang="en"><title>Host</title><main></main>')
  await page.addScriptTag({ type: 'module', content: outputFiles[0]?.text ?? '' })
  const inbox = inboxOf(page)
  await inbox.untilUnread(4)
  await inbox.open()
  expect(await page.title()).toBe('(4) My application')
  expect(await inbox.first.locator('a.open').getAttribute('href')).toMatch(/^#\/comment\/[0-9a-f-]{36}$/)
  await page.context().close()
})
