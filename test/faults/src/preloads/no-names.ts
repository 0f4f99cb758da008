import { existsSync } from 'node:fs'
import { Socket } from 'node:net'

// Preloaded by a process that cannot resolve names while a file exists. Its servers have addresses instead of names here, so
// each new connection fails as its lookup would; those that are open stay.
const { connect } = Socket.prototype
const file = process.env.HERALD_NO_NAMES_FILE ?? ''

Socket.prototype.connect = function connectByName(this: Socket, ...options: Parameters<Socket['connect']>) {
  if (!existsSync(file)) return connect.apply(this, options)
  const error = Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN', syscall: 'getaddrinfo' })
  process.nextTick(() => this.destroy(error))
  return this
} as Socket['connect']
