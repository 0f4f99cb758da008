import { startProgram } from './program.ts'

// Starts a program that ignores signals, prints its process id, and is then ended by the test.
const script = `for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
  console.log("ready"); setInterval(() => {}, 1000)`
const [folder] = process.argv.slice(2)
const program = await startProgram({
  name: 'The program',
  command: process.execPath,
  args: ['-e', script],
  environment: process.env,
  ready: { line: /^ready/ },
  ...(folder ? { folder } : {}),
})
console.log(program.pid)
