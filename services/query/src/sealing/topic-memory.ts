import type { KafkaPort, TopicDescription } from '@herald/kafka'
import { type HealthCheck, within } from '@herald/runtime'
import { Gauge, type Registry } from 'prom-client'

type Dependencies = {
  readonly kafka: Pick<KafkaPort, 'describeTopics'>
  readonly topic: string
  readonly registry: Registry
  readonly everyMs?: number
}

const askMs = 30_000
const defaultEveryMs = 60_000

/** Why a topic will lose records; `undefined` if it keeps all. */
function whyItForgets({ cleanupPolicy, retentionMs, retentionBytes }: TopicDescription): string | undefined {
  if (cleanupPolicy.includes('compact')) return `cleanup.policy is ${cleanupPolicy}`
  if (retentionMs !== -1) return `retention.ms is ${retentionMs}`
  return retentionBytes === -1 ? undefined : `retention.bytes is ${retentionBytes}`
}

/** Watches whether the topic of checkpoints keeps them: the sealer works as well without, but the evidence is lost. */
export function createTopicMemory({ kafka, topic, registry, everyMs = defaultEveryMs }: Dependencies) {
  /** `undefined` while the brokers don't say. */
  let reason: { readonly why: string | undefined } | undefined
  let timer: NodeJS.Timeout | undefined
  new Gauge({
    name: 'herald_log_topic_forgets',
    help: 'Whether KAFKA_CHECKPOINT_TOPIC is compacted or expires, so that evidence is lost; nothing while the brokers do not say',
    registers: [registry],
    collect() {
      if (reason === undefined) this.remove()
      else this.set(reason.why === undefined ? 0 : 1)
    },
  })

  async function look(): Promise<void> {
    const found = await within(askMs, kafka.describeTopics([topic])).catch(() => undefined)
    const described = found?.get(topic)
    reason = described && { why: whyItForgets(described) }
  }

  const check: HealthCheck = {
    name: 'checkpoint topic',
    check() {
      if (reason?.why === undefined) return { ok: true }
      const remedy = 'Set cleanup.policy=delete and retention.ms=-1'
      return { ok: true, detail: `${topic} forgets checkpoints: ${reason.why}. ${remedy}` }
    },
  }
  return {
    check,
    start(): void {
      void look()
      timer = setInterval(() => void look(), everyMs).unref()
    },
    stop: (): void => clearInterval(timer),
  }
}
