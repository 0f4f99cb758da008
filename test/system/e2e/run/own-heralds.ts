/** The files that start a Herald, or processes of it, of their own, with the reason. All others share that of the run. */
export const ownHeralds: Readonly<Record<string, string>> = {
  'access/key-set.test.ts': 'another source of keys, and a clock that is moved',
  'events/restored-backup.long.test.ts': 'a MongoDB whose files are put back, and services that are stopped',
  'events/stopped-herald.test.ts': 'its services are killed, stopped and restarted',
  'notifications/killed-requests.long.test.ts': 'a MongoDB whose commands are held, and an ingest that is killed',
  'operations/configured-herald.test.ts': 'a rate limit, and every log line, span, metric and origin',
  'operations/readiness.test.ts': 'services without topics and collections',
  'operations/roles.long.test.ts': 'a MongoDB with a user for each program',
  'operations/settings.test.ts': 'services that do not start',
  'operations/slow-mongodb.long.test.ts': 'a MongoDB whose answers are late',
}

/** The files that use more of the shared Herald than a foreign one has: that it seals each second. */
export const onlyOnOurs: readonly string[] = ['access/sealed-log-isolation.test.ts']
