/** What a node measured of itself at a moment, since the moment before (contract §3, Operators). */
export interface Vitals {
  /** In ms since 1970, by the clock of the node. */
  at: number;
  sockets: number;
  messagesPerSecond: number;
  requestsPerSecond: number;
  /** 95 of 100 requests were answered faster; those that wait for events do not count. */
  requestP95Ms: number;
  /** Requests and sends that failed by a fault of the server. */
  errorsPerMinute: number;
  /** 99 of 100 turns of the event loop came less late than that. */
  eventLoopMs: number;
  /** Events that were committed and not emitted when the log was last read. */
  lagEvents: number;
  memoryBytes: number;
  /** Of one processor. */
  cpuPercent: number;
}

/** How often a node measures itself, for how long it remembers that, and how often it says that it is there. */
export const vitalSeconds = { every: 5, kept: 900, announced: 10 } as const;
