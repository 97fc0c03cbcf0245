/** What a process of a fleet is asked, and what it answers: everything is a sum or an extreme over its clients. */
export type Order =
  | ({ kind: 'open' } & Opening)
  | { kind: 'tally' }
  /** The clients keep which messages they get, from now on. */
  | { kind: 'watch' }
  | { kind: 'cut' }
  | { kind: 'report'; sent: number[] }
  | { kind: 'arrivals' }
  | { kind: 'close' };

export interface Opening {
  /** Clients take the servers by turns, and another one if theirs does not answer. */
  ports: number[];
  /** Of the people, one client each. */
  tokens: string[];
  /** Each client joins all of these channels. */
  channels: string[];
  /** How many connect at once. */
  atOnce: number;
}

export interface Tally {
  clients: number;
  /** Those that are in all of their channels. */
  ready: number;
  events: number;
  bytes: number;
  refused: number;
}

/** Times are of the system's monotonic clock, in ms, which all processes share. */
export interface Report {
  /** Messages that a client did not get, or got more than once. */
  lost: number;
  doubled: number;
  delivered: number;
  /** Clients that came back, and those of them that the server recovered. */
  returned: number;
  recovered: number;
  /** When the last client was back, and when the last one had all that it missed. */
  lastBack: number;
  lastComplete: number;
  /** The longest time that a client was without a message, in ms. */
  longestGap: number;
}

/** When the first and the last client had a message, and how many have it. */
export interface Arrival {
  number: number;
  first: number;
  last: number;
  clients: number;
}

/** The system's monotonic clock, in ms: the same in all processes. */
export const monotonic = () => Number(process.hrtime.bigint()) / 1_000_000;

/** How a numbered message begins. */
export const marked = (number: number) => `n-${number}- `;

/** The number of the message in an event, if it is one. */
export function numberOf(event: string): number | undefined {
  const start = event.indexOf('"n-') + 3;
  return start < 3 ? undefined : Number.parseInt(event.slice(start, start + 6), 10);
}

/** No run numbers more messages. */
export const mostMessages = 2048;
