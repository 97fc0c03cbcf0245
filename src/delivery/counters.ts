/** What the delivery counts, for the operator; plain numbers, read when someone asks. */
export class DeliveryCounters {
  /** Events given out to the rooms of this node. */
  events = 0;
  /** Times that a hole before an early event was filled from the log. */
  gapRepairs = 0;
  sweeps = 0;
  failedSweeps = 0;
  /** Rooms that a sweep found behind. */
  swept = 0;
  /** Pages of missed events handed to those who came back. */
  replays = 0;
  replayedEvents = 0;
  /** Those told to read the list anew. */
  unrecoverable = 0;
  /** Consumers cut off because they read too slowly. */
  cutOffs = 0;
  batches = 0;
  batchedSends = 0;
  trimmed = 0;
  /** Events that the last sweep found committed but not given out. */
  lag = 0;
  /** Told the size of each batch of sends. */
  onBatch: (size: number) => void = () => {};
  /** Told of each send how many milliseconds passed between its coming and its commit. */
  onSend: (ms: number) => void = () => {};
  /** Sends that were not committed. */
  failedSends = 0;
  /** Told to how many sockets some events were written at once. */
  onFanOut: (events: number, sockets: number) => void = () => {};
}
