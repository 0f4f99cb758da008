import process from 'node:process'
import { Kafka, Partitioners } from 'kafkajs'
import { createTransport } from 'nodemailer'
import { fillLink } from './link.ts'
import { createMailer } from './mailer.ts'

const setting = (name: string, preset?: string): string => {
  const value = process.env[name] || preset
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}
const log = (line: string) => process.stdout.write(`${line}\n`)

const kafka = new Kafka({ clientId: 'mailer', brokers: setting('KAFKA_BROKERS').split(',') })
const consumer = kafka.consumer({ groupId: setting('KAFKA_GROUP_ID', 'mailer') })
const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
const domain = setting('MAIL_DOMAIN', 'example.com')
const link = process.env.MAIL_LINK
const handle = createMailer({
  producer,
  log,
  // It publishes receipts only.
  topics: {
    mention: 'mention-events',
    change: 'change-events',
    receipt: setting('KAFKA_RECEIPT_TOPIC', 'receipt-events'),
  },
  ...(link ? { linkOf: (data) => fillLink(link, data) } : {}),
  perHour: Number(setting('MAIL_PER_HOUR', '10')),
  transport: createTransport(setting('SMTP_URL')),
  from: setting('MAIL_FROM', `herald@${domain}`),
  // Replace this by a look-up in your own directory of users.
  addressOf: async ({ userId }) => `${userId}@${domain}`,
})

await Promise.all([consumer.connect(), producer.connect()])
await consumer.subscribe({ topics: [setting('KAFKA_NOTIFICATION_TOPIC', 'notification-events')], fromBeginning: true })
// An error is retried, with growing pauses; the offset is committed afterwards.
await consumer.run({ eachMessage: ({ message }) => handle(message) })
log('The mailer is ready.')

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await consumer.disconnect()
    await producer.disconnect()
  })
}
