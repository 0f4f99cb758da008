import { afterAll, afterEach, expect } from '@jest/globals'
import { type Stage, startStage } from './stage.ts'

/** Starts the stage of a test file. A test fails if it leaves an error on a page. */
export async function prepareStage(): Promise<Stage> {
  const stage = await startStage()
  afterAll(() => stage.stop())
  afterEach(async () => {
    expect(await stage.settle()).toEqual([])
  })
  return stage
}
