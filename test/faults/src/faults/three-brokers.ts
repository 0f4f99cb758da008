import { lasting, type PartContext, strike } from '../part.ts'
import { clusterOfThree } from '../stack/three-brokers.ts'

/** Longer than the session of a broker, so that others lead its partitions. */
const frozenSeconds = 15

/** Kills one broker of three, freezes another, and then both at once: the leaders move, and nothing is lost. */
export async function failBrokers(context: PartContext): Promise<void> {
  const { times } = context
  for (let done = 0; done < times; done++) {
    const at = (index: number) => clusterOfThree()[(done + index) % 3]
    await strike(
      context,
      `one broker of three kill -9 (${done + 1} of ${times})`,
      () => at(0)?.kill('SIGKILL'),
      () => at(0)?.restart(),
    )
    await strike(
      context,
      `one broker of three SIGSTOP ${frozenSeconds} s (${done + 1} of ${times})`,
      () => at(1)?.kill('SIGSTOP'),
      () => lasting(frozenSeconds).finally(() => at(1)?.kill('SIGCONT')),
    )
    await strike(
      context,
      `one broker of three kill -9, another SIGSTOP ${frozenSeconds} s (${done + 1} of ${times})`,
      () => {
        at(2)?.kill('SIGSTOP')
        at(0)?.kill('SIGKILL')
      },
      async () => {
        await lasting(frozenSeconds).finally(() => at(2)?.kill('SIGCONT'))
        await at(0)?.restart()
      },
    )
  }
}
