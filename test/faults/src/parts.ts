import { announcementNotes, announceThroughFaults } from './faults/announcements.ts'
import { boundsNotes, boundsSummary, sendOutOfBounds } from './faults/bounds.ts'
import { clockNotes, shiftClocks } from './faults/clocks.ts'
import { narrowDeadLetterTopic, removeDeadLetterTopic } from './faults/dead-letter-topic.ts'
import { fillDisks, startOnSmallDisks } from './faults/disk-full.ts'
import { eraseThroughFaults, erasureNotes } from './faults/erasures.ts'
import { freezeParts } from './faults/freeze.ts'
import { hangNotes, hangOperations } from './faults/hanging-operations.ts'
import { endIngest, killIngest, stopIngest } from './faults/ingest-faults.ts'
import { lateWriterNotes, writeLate } from './faults/late-writers.ts'
import { cutBeforeFirstLetter, cutNetwork, delayNetwork } from './faults/network-faults.ts'
import { takeNamesAway } from './faults/no-names.ts'
import { rebalanceAgainAndAgain } from './faults/rebalance.ts'
import { followRecordedOrder, recordedOrderNotes } from './faults/recorded-order.ts'
import { recover, recoveryNotes, recoverySummary } from './faults/recovery.ts'
import { loseOffsets, repeatEverything } from './faults/replay-faults.ts'
import { rollBack, rollbackNotes } from './faults/rollback.ts'
import { rollingNotes, rollRelease } from './faults/rolling.ts'
import { sealedLogNotes, sealThroughFaults } from './faults/sealed-log.ts'
import { killBroker, killPrimary, stepPrimaryDown, stopAllMongods, stopPrimary } from './faults/server-faults.ts'
import { sharesNotes, sharesSummary, takeEverything } from './faults/shares.ts'
import { soak, soakNotes } from './faults/soak.ts'
import { failBrokers, threeBrokersNotes } from './faults/three-brokers.ts'
import { mutantParts } from './mutants/mutant-parts.ts'
import type { Part } from './part.ts'
import { startOnThreeBrokers } from './stack/three-brokers.ts'
import { twins } from './twins.ts'

/** Every kind of fault, in the order in which they strike, with its times in the short and the full run. */
export const parts: readonly Part[] = [
  { name: 'ingest-kill', lane: 'members', short: 3, full: 20, run: killIngest },
  { name: 'ingest-end', lane: 'members', short: 2, full: 10, run: endIngest },
  { name: 'ingest-stop', lane: 'members', short: 1, full: 5, run: stopIngest },
  { name: 'broker-kill', lane: 'servers', short: 1, full: 10, run: killBroker },
  { name: 'primary-kill', lane: 'servers', short: 1, full: 10, run: killPrimary },
  { name: 'primary-stepdown', lane: 'servers', short: 2, full: 10, run: stepPrimaryDown },
  { name: 'primary-stop', lane: 'servers', short: 1, full: 2, run: stopPrimary },
  { name: 'mongods-down', lane: 'servers', short: 1, full: 2, run: stopAllMongods },
  { name: 'mongo-cut', lane: 'network', short: 1, full: 3, run: cutNetwork('MongoDB') },
  { name: 'mongo-delay', lane: 'network', short: 1, full: 3, run: delayNetwork('MongoDB') },
  { name: 'kafka-cut', lane: 'network', short: 1, full: 3, run: cutNetwork('Kafka') },
  { name: 'kafka-delay', lane: 'network', short: 1, full: 3, run: delayNetwork('Kafka') },
  { name: 'no-names', lane: 'network', isAlone: true, short: 1, full: 2, run: takeNamesAway },
  { name: 'dead-letters-away', lane: 'members', short: 1, full: 1, run: removeDeadLetterTopic },
  { name: 'dead-letters-narrow', lane: 'members', short: 1, full: 1, run: narrowDeadLetterTopic },
  { name: 'rebalance', lane: 'members', short: 1, full: 1, run: rebalanceAgainAndAgain },
  {
    name: 'rolling',
    lane: 'members',
    isAlone: true,
    needsMachine: true,
    isLong: true,
    short: 1,
    full: 4,
    subscribers: 11,
    run: rollRelease,
    notes: rollingNotes,
  },
  {
    name: 'recovery',
    lane: 'network',
    isAlone: true,
    needsMachine: true,
    isLong: true,
    short: 2,
    full: 20,
    run: recover,
    notes: recoveryNotes,
    summary: recoverySummary,
  },
  { name: 'repeated', lane: 'members', isAlone: true, short: 1, full: 2, run: repeatEverything },
  { name: 'offsets-lost', lane: 'members', isAlone: true, isLong: true, short: 1, full: 1, run: loseOffsets },
  {
    name: 'announcements',
    lane: 'servers',
    isAlone: true,
    isLong: true,
    short: 1,
    full: 3,
    run: announceThroughFaults,
    notes: announcementNotes,
  },
  {
    name: 'erasures',
    lane: 'servers',
    isAlone: true,
    short: 1,
    full: 3,
    run: eraseThroughFaults,
    notes: erasureNotes,
  },
  {
    name: 'recorded-order',
    lane: 'servers',
    isAlone: true,
    hasSequencers: true,
    isLong: true,
    short: 1,
    full: 3,
    subscribers: 11,
    run: followRecordedOrder,
    notes: recordedOrderNotes,
  },
  {
    name: 'sealed-log',
    lane: 'members',
    isAlone: true,
    hasSequencers: true,
    short: 3,
    full: 20,
    subscribers: 5,
    run: sealThroughFaults,
    notes: sealedLogNotes,
  },
  {
    name: 'clocks',
    lane: 'servers',
    isAlone: true,
    isLong: true,
    short: 1,
    full: 2,
    firstEventAgoMs: 60_000,
    run: shiftClocks,
    notes: clockNotes,
  },
  ...freezeParts,
  { name: 'hanging', lane: 'members', isAlone: true, short: 1, full: 1, run: hangOperations, notes: hangNotes },
  {
    name: 'late-writers',
    lane: 'servers',
    isAlone: true,
    isLong: true,
    short: 1,
    full: 1,
    run: writeLate,
    notes: lateWriterNotes,
  },
  {
    name: 'rollback',
    lane: 'servers',
    isAlone: true,
    short: 1,
    full: 3,
    subscribers: 11,
    run: rollBack,
    notes: rollbackNotes,
  },
  {
    name: 'three-brokers',
    lane: 'network',
    isLong: true,
    short: 1,
    full: 3,
    run: failBrokers,
    notes: threeBrokersNotes,
    ownStack: startOnThreeBrokers,
  },
  {
    name: 'bounds',
    lane: 'members',
    isAlone: true,
    isLong: true,
    short: 1,
    full: 1,
    run: sendOutOfBounds,
    notes: boundsNotes,
    summary: boundsSummary,
  },
  {
    name: 'shares',
    lane: 'members',
    isAlone: true,
    needsMachine: true,
    short: 1,
    full: 1,
    run: takeEverything,
    notes: sharesNotes,
    summary: sharesSummary,
  },
  { name: 'soak', lane: 'network', needsMachine: true, short: 1, full: 1, run: soak, notes: soakNotes },
  { name: 'first-letter-cut', lane: 'network', isAlone: true, short: 1, full: 1, run: cutBeforeFirstLetter },
  { name: 'disk-full', lane: 'network', short: 1, full: 1, run: fillDisks, ownStack: startOnSmallDisks },
]

/** Several parts under one name. */
export const groups: Readonly<Record<string, readonly Part[]>> = {
  core: named('ingest-kill', 'broker-kill', 'primary-kill', 'primary-stepdown', 'freeze-ingest', 'erasures'),
  freeze: freezeParts,
  mutants: mutantParts,
}

/** The parts of these names; every fault when there are none, except the long ones and those with a twin in the short run. */
export function selectParts(
  names: readonly string[],
  isShort = false,
): { selected: readonly Part[]; unknown: string[] } {
  const isIn = ({ name, isLong }: Part) => !isShort || !(isLong || name in twins)
  if (names.length === 0) return { selected: parts.filter(isIn), unknown: [] }
  const known = [...parts, ...mutantParts]
  const wanted = new Set(names.flatMap((name) => groups[name]?.map((part) => part.name) ?? [name]))
  const unknown = [...wanted].filter((name) => !known.some((part) => part.name === name))
  return { selected: known.filter(({ name }) => wanted.has(name)), unknown }
}

function named(...names: readonly string[]): readonly Part[] {
  return parts.filter(({ name }) => names.includes(name))
}
