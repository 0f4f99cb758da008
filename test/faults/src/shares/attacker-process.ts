import { createStore } from '@herald/store'
import { type Answers, countAnswers } from './answers.ts'
import type { AttackerMessage, AttackerReply } from './attacker.ts'
import { shareAttacks } from './share-attacks.ts'

const { MONGODB_URI: uri = '', MONGODB_DATABASE: database } = process.env
const store = createStore({ uri, database: database as string, applicationName: 'herald-faults' })
let answers: Answers | undefined
let end: (() => Promise<void>) | undefined

async function act(message: AttackerMessage): Promise<AttackerReply> {
  if (message.act === 'begin') {
    answers = countAnswers()
    end = await shareAttacks[message.name]?.({ ...message.scene, store }, answers)
  }
  if (message.act === 'end') await end?.()
  if (message.act === 'stop') await store.close()
  return { counts: answers?.counts() ?? {}, withoutRetryAfter: answers?.withoutRetryAfter() ?? 0 }
}

process.on('message', async (message: AttackerMessage) => {
  process.send?.(await act(message))
  if (message.act === 'stop') process.disconnect()
})
