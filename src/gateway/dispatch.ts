import type { Operations } from '../cluster/operations.ts';
import type { Actor } from '../contract/actor.ts';
import type { ErrorCode } from '../contract/error-codes.ts';
import { AppError, asAppError } from '../contract/errors.ts';
import { validated } from '../contract/schema/validation.ts';
import { requireScopes, scopesOfEvent } from '../contract/scopes.ts';
import { tooComplex } from '../infrastructure/json-complexity.ts';
import type { Log } from '../infrastructure/log.ts';
import { unparsed } from './encoder.ts';
import type { Handler } from './handler.ts';
import type { ParleySocket } from './socket.ts';

/** An event that waited this long is refused: its client has given up long ago. */
const maxWaitMs = 30_000;
/** How many events may wait on one lane; their payloads are kept in memory. */
const maxPlaces = 1000;
/** Failures after which clients retry. */
const passing: ReadonlySet<ErrorCode> = new Set(['DATABASE_UNAVAILABLE', 'SERVER_BUSY']);

/** An event's place in its lane, from its arrival until it is done. */
export interface Place {
  /**
   * Resolves when everything before it is done, or lets it run alongside.
   * @returns whether that took time
   * @throws AppError SERVER_BUSY, or the failure of an event before it
   */
  turn(): boolean | Promise<boolean>;
  /** Lets the next one start: from here on something else keeps the order. */
  letNext(): void;
  /** @param failure its error, if it failed */
  leave(failure: AppError | null): void;
}

interface Entry {
  beside: boolean;
  runs: boolean;
  waiting: { go(): void; refuse(error: AppError): void } | null;
  failure: AppError | null;
}

const lanes = new WeakMap<object, Map<string, Lane>>();

/** For events that need not wait for anything. */
const noPlace: Place = { turn: () => false, letNext() {}, leave() {} };

/**
 * Handles one socket's events about the same thing in order of arrival, even if its client does not wait for the acks:
 * some take longer than others, and a second edit, or the next piece of a streamed reply, would overtake the first.
 *
 * @param name of the lane
 * @param beside it may start when the one before it lets the next start; otherwise when all before it are done
 */
export function takePlace(socket: object, name: string, beside: boolean): Place {
  let ofSocket = lanes.get(socket);
  if (!ofSocket) {
    ofSocket = new Map();
    lanes.set(socket, ofSocket);
  }
  const known = ofSocket.get(name);
  const lane = known ?? new Lane();
  if (!known) ofSocket.set(name, lane);
  const place = lane.enter(beside);
  const leave = (failure: AppError | null) => {
    place.leave(failure);
    if (!lane.isEmpty) return;
    ofSocket.delete(name);
    // There are many sockets, most of which are silent for long.
    if (ofSocket.size === 0) lanes.delete(socket);
  };
  return { ...place, leave };
}

/** Events of one socket about one thing. */
class Lane {
  /** The running event that blocks the waiting ones. */
  private current: Entry | null = null;
  /** The oldest first. */
  private readonly waiting = new Set<Entry>();
  /** How many running events let the next one start; they only block those that wait for all before them. */
  private passed = 0;

  get isEmpty(): boolean {
    return !this.current && this.passed === 0 && this.waiting.size === 0;
  }

  enter(beside: boolean): Place {
    const isFull = this.waiting.size >= maxPlaces;
    const entry: Entry = { beside, runs: false, waiting: null, failure: isFull ? new AppError('SERVER_BUSY') : null };
    this.waiting.add(entry);
    this.goOn();
    return {
      turn: () => turnOf(entry),
      letNext: () => this.pass(entry),
      leave: (failure) => this.leave(entry, failure),
    };
  }

  private leave(entry: Entry, failure: AppError | null): void {
    // The client will retry it: events waiting behind it would overtake it, so they are refused too.
    if (failure && passing.has(failure.code)) this.refuseBehind(entry, failure);
    this.waiting.delete(entry);
    if (this.current === entry) this.current = null;
    else if (entry.runs) this.passed--;
    this.goOn();
  }

  private refuseBehind(failed: Entry, error: AppError): void {
    let isBehind = failed.runs;
    for (const entry of this.waiting) {
      if (isBehind) {
        entry.failure ??= error;
        entry.waiting?.refuse(error);
      }
      isBehind ||= entry === failed;
    }
  }

  private pass(entry: Entry): void {
    if (this.current !== entry) return;
    this.current = null;
    this.passed++;
    this.goOn();
  }

  private goOn(): void {
    const [next] = this.waiting;
    if (!next || this.current || (this.passed > 0 && !next.beside)) return;
    this.waiting.delete(next);
    this.current = next;
    next.runs = true;
    next.waiting?.go();
  }
}

function turnOf(entry: Entry): boolean | Promise<boolean> {
  if (entry.failure) throw entry.failure;
  return entry.runs ? false : waitFor(entry);
}

async function waitFor(entry: Entry): Promise<boolean> {
  const cameAt = performance.now();
  await new Promise<void>((resolve, reject) => {
    entry.waiting = { go: resolve, refuse: reject };
  });
  if (performance.now() - cameAt > maxWaitMs) throw new AppError('SERVER_BUSY');
  return true;
}

/** What handlers need from the layers below. */
export interface SocketServices {
  /** Checks that the sender's session is still valid; undefined: known to be. @throws AppError with one of the 401 codes */
  stillAuthentic(socket: ParleySocket): Promise<void> | undefined;
  /** Someone did something: it is no event that clients send by themselves. */
  used(actor: Actor): void;
  operations: Operations;
  /** @throws AppError RATE_LIMITED */
  limit(name: Handler['limit'], socket: ParleySocket): void;
  /** Runs `handle`, which returns its error code or null, and records it for metrics and traces. */
  watched(event: string, handle: () => Promise<ErrorCode | null>): Promise<unknown>;
}

type Ack = (answer: object) => void;

/**
 * Dispatches the events of a socket to their handlers. Whatever a handler throws, its client gets an answer and the
 * node keeps running. One function per socket, not one per event: there are many of both.
 */
export function bindHandlers(
  socket: ParleySocket,
  handlers: ReadonlyMap<string, Handler>,
  services: SocketServices,
  log: Log,
): void {
  let count = 0;
  socket.use(([event, ...args]) => {
    // Events that arrive together with the one over the limit are not examined.
    if (socket.data.isCutOff) return;
    const handler = handlers.get(event);
    count++;
    const requestId = `${socket.id}-${count}`;
    if (handler) {
      return void services.watched(handler.event, () => dispatch(socket, handler, args, requestId, services, log));
    }
    void refuse(socket, String(event), args, requestId, services, log);
  });
}

/** An unknown event. It is answered, so it counts against the limits like any other. */
async function refuse(
  socket: ParleySocket,
  event: string,
  args: unknown[],
  requestId: string,
  services: SocketServices,
  log: Log,
): Promise<void> {
  try {
    services.limit('events', socket);
    throw new AppError('UNKNOWN_EVENT', { message: `There is no event "${event.slice(0, 64)}".` });
  } catch (error) {
    answerError(socket, ackOf(args), error, requestId, log);
  }
}

async function dispatch(
  socket: ParleySocket,
  handler: Handler,
  args: unknown[],
  requestId: string,
  services: SocketServices,
  log: Log,
): Promise<ErrorCode | null> {
  const ack = ackOf(args);
  const given = typeof args[0] === 'function' ? undefined : args[0];
  // Taken in the turn of arrival; the checks that follow take different times for different events.
  const place = placeOf(socket, handler, given);
  let failure: AppError | null = null;
  try {
    await services.stillAuthentic(socket);
    services.limit(handler.limit, socket);
    const { scopes } = socket.data.actor;
    if (scopes) requireScopes(scopes, scopesOfEvent(handler));
    if (given === unparsed) throw new AppError('MALFORMED_JSON', { message: tooComplex });
    const payload = validated(handler.payload, given);
    if (!handler.readOnly && !handler.byItself) services.used(socket.data.actor);
    if (await place.turn()) await services.stillAuthentic(socket);
    let answered = false;
    const respond = (answer: object) => {
      if (answered) return;
      answered = true;
      ack?.({ ok: true, ...answer });
    };
    const { letNext } = place;
    const request = { actor: socket.data.actor, payload, socket, requestId, respond, letNext };
    const authentic = () => services.stillAuthentic(socket);
    respond(await services.operations.run(authentic, () => handler.handle(request)));
    return null;
  } catch (error) {
    failure = answerError(socket, ack, error, requestId, log);
    return failure.code;
  } finally {
    place.leave(failure);
  }
}

function placeOf(socket: ParleySocket, { event, lane }: Handler, payload: unknown): Place {
  if (!lane) return noPlace;
  const { by } = lane;
  const thing: unknown = by && typeof payload === 'object' && payload !== null ? Reflect.get(payload, by) : payload;
  // Ids may be in upper case too.
  const name = by ? `${by} ${typeof thing === 'string' ? thing.toLowerCase() : ''}` : event;
  return takePlace(socket, name, lane.beside ?? false);
}

function ackOf(args: unknown[]): Ack | undefined {
  const last = args.at(-1);
  return typeof last === 'function' ? (answer) => last(answer) : undefined;
}

/** The error object of contract §2, as the ack or, if none was requested, as the event `error`. */
function answerError(
  socket: ParleySocket,
  ack: Ack | undefined,
  error: unknown,
  requestId: string,
  log: Log,
): AppError {
  const known = asAppError(error);
  if (known.code === 'INTERNAL_ERROR') log.error({ requestId, err: error }, 'An event failed.');
  const body = known.body(requestId);
  if (ack) ack(body);
  else if (socket.connected) socket.emit('error', body);
  return known;
}
