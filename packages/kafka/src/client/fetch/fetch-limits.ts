const MiB = 1024 * 1024

/** Bounds fetched records in decompressed bytes. The broker's own limits count compressed ones: 1 MiB may be gigabytes. */
export const fetchLimits = {
  /** Decoded per fetch. The rest is fetched again. */
  responseBytes: 24 * MiB,
  partitionBytes: 4 * MiB,
  /** Retained for partially read batches, so that the next fetch continues where they stopped. */
  pausedBytes: 64 * MiB,
  /** Decompressed per fetch and partition: no heartbeat is sent meanwhile. The next fetch continues. */
  responseReadBytes: 128 * MiB,
  partitionReadBytes: 32 * MiB,
  /** Key, value and headers of a record. A larger record is skipped and dead-lettered. */
  recordBytes: 8 * MiB,
  /** Bytes of a batch. The records beyond are skipped and dead-lettered as one. */
  batchBytes: 1024 * MiB,
  /** The approximate memory of a record object, and of each header, in addition to its bytes. */
  recordOverheadBytes: 512,
  headerOverheadBytes: 200,
} as const
