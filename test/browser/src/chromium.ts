import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Returns the path of Chromium: `CHROMIUM_PATH`, or the first on the PATH. */
export function findChromium(environment = process.env): string | undefined {
  return environment.CHROMIUM_PATH || findProgram(names, environment)
}

/** Returns the path of the first of these programs on the PATH. */
export function findProgram(names: readonly string[], environment = process.env): string | undefined {
  const folders = [...(environment.PATH ?? '').split(delimiter), '/usr/bin']
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable)
}

export function launchChromium(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('Chromium not found; set CHROMIUM_PATH.')
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ]
  return chromium.launch({ executablePath, args })
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
