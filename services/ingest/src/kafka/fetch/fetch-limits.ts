const MiB = 1024 * 1024

/**
 * How much of Kafka is in memory at once, in bytes as decompressed. A broker counts compressed bytes, and 1 MiB of those
 * may be gigabytes.
 */
export const fetchLimits = {
  /** Decoded of one fetch. The rest of it is fetched again. */
  responseBytes: 24 * MiB,
  /** Decoded of one partition at a time. */
  partitionBytes: 4 * MiB,
  /**
   * Decompressed for one fetch, whether or not a record came of it, and for one partition: nobody beats for the group
   * meanwhile. The next fetch goes on from there.
   */
  responseReadBytes: 128 * MiB,
  partitionReadBytes: 32 * MiB,
  /** A larger record is passed over: key, value and headers together. */
  recordBytes: 8 * MiB,
  /** All of a batch; what lies behind is passed over as a whole. */
  batchBytes: 1024 * MiB,
  /** What an object of a record, and of each header, takes besides its bytes; about. */
  recordOverheadBytes: 512,
  headerOverheadBytes: 200,
} as const
