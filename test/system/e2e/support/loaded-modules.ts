const preload = `
import { registerHooks } from 'node:module'
import { writeSync } from 'node:fs'
registerHooks({
  load(url, context, nextLoad) {
    const file = url.split('/node_modules/').at(-1)
    if (/^jose[/]/.test(file)) writeSync(1, 'loaded ' + file + '\\n')
    return nextLoad(url, context)
  },
})`

/** Settings of a service that prints each module of jose that it loads. */
export const printLoadedModules = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` }
