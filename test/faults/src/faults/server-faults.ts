import { lasting, type PartContext, strike } from '../part.ts'
import { until } from '../until.ts'

export async function killBroker(context: PartContext): Promise<void> {
  const { stack, times } = context
  for (let done = 0; done < times; done++) {
    await strike(
      context,
      `broker kill -9 (${done + 1} of ${times})`,
      () => stack.broker.kill('SIGKILL'),
      () => stack.broker.restart(),
    )
  }
}

const awaitPrimary = ({ stack }: PartContext) =>
  until('a primary', async () => (await stack.mongo.primary()) !== undefined)

export async function killPrimary(context: PartContext): Promise<void> {
  const { stack, times } = context
  for (let done = 0; done < times; done++) {
    await awaitPrimary(context)
    const primary = await stack.mongo.primary()
    await strike(
      context,
      `primary kill -9 (${done + 1} of ${times})`,
      () => primary.kill('SIGKILL'),
      async () => {
        await awaitPrimary(context)
        await primary.restart()
      },
    )
  }
}

export async function stepPrimaryDown(context: PartContext): Promise<void> {
  const { stack, times } = context
  const admin = stack.mongo.client.db('admin')
  for (let done = 0; done < times; done++) {
    await strike(
      context,
      `primary stepdown (${done + 1} of ${times})`,
      async () => {
        await until('the primary to step down', async () => {
          await admin.command({ replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 })
          return true
        })
      },
      () => awaitPrimary(context),
    )
  }
}

export async function stopPrimary(context: PartContext): Promise<void> {
  const { stack, times, isShort } = context
  const seconds = isShort ? 15 : 60
  for (let done = 0; done < times; done++) {
    const primary = await stack.mongo.primary()
    await strike(
      context,
      `primary SIGSTOP ${seconds} s (${done + 1} of ${times})`,
      () => primary.kill('SIGSTOP'),
      async () => {
        try {
          await lasting(seconds)
        } finally {
          primary.kill('SIGCONT')
        }
      },
    )
    await awaitPrimary(context)
  }
}

export async function stopAllMongods(context: PartContext): Promise<void> {
  const { stack, times, isShort } = context
  const seconds = isShort ? 10 : 60
  for (let done = 0; done < times; done++) {
    await strike(
      context,
      `all mongods down ${seconds} s (${done + 1} of ${times})`,
      () => {
        for (const member of stack.mongo.members) member.kill('SIGKILL')
      },
      async () => {
        await lasting(seconds)
        await Promise.all(stack.mongo.members.map((member) => member.restart()))
        await awaitPrimary(context)
      },
    )
  }
}
