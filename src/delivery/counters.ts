/** The delivery's counters for metrics: plain numbers, read on demand. */
export class DeliveryCounters {
  /** Events emitted to the rooms of this node. */
  events = 0;
  /** How often a gap before an early event was filled from the log. */
  gapRepairs = 0;
  sweeps = 0;
  failedSweeps = 0;
  /** Rooms that a sweep found behind. */
  swept = 0;
  /** Pages of missed events sent to returning clients. */
  replays = 0;
  replayedEvents = 0;
  /** Long polls that wait for something new. */
  waitingPolls = 0;
  /** Changes that wait for others at the log of a room. */
  waitingChanges = 0;
  /** Clients that had to reload their lists. */
  unrecoverable = 0;
  /** Slow consumers that were cut off. */
  cutOffs = 0;
  batches = 0;
  batchedSends = 0;
  trimmed = 0;
  /** What the log is made of, as this node last saw it, beside the default partition. */
  logPartitions = 0;
  /** Whether the default partition has entries. */
  isLogUnbounded = false;
  /** Partitions of the log that this node has dropped. */
  droppedPartitions = 0;
  /** Events that the last sweep found committed but not emitted. */
  lag = 0;
  /** Called with the size of each batch of sends. */
  onBatch: (size: number) => void = () => {};
  /** Called for each send with the milliseconds between its arrival and its commit. */
  onSend: (ms: number) => void = () => {};
  /** Sends that were not committed. */
  failedSends = 0;
  /** Called with the number of sockets to which some events were written at once. */
  onFanOut: (events: number, sockets: number) => void = () => {};
}
