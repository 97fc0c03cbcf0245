import type { Operations } from '../cluster/operations.ts';
import { AppError, asAppError, type ErrorCode } from '../contract/errors.ts';
import { validated } from '../contract/schema/validation.ts';
import { tooComplex } from '../infrastructure/json-complexity.ts';
import type { Log } from '../infrastructure/log.ts';
import { unparsed } from './encoder.ts';
import type { Handler } from './handler.ts';
import { noPlace, type Place, takePlace } from './lanes.ts';
import type { ParleySocket } from './socket.ts';

/** What handlers need from the layers below. */
export interface SocketServices {
  /** Checks that the sender's session is still valid; undefined: known to be. @throws AppError with one of the 401 codes */
  stillAuthentic(socket: ParleySocket): Promise<void> | undefined;
  operations: Operations;
  /** @throws AppError RATE_LIMITED */
  limit(name: Handler['limit'], socket: ParleySocket): void;
  /** Runs `handle`, which returns its error code or null, and records it for metrics and traces. */
  watched(event: string, handle: () => Promise<ErrorCode | null>): Promise<unknown>;
}

type Ack = (answer: object) => void;

/**
 * Dispatches the events of a socket to their handlers. Whatever a handler throws, its client gets an answer and the node
 * goes on. One function per socket, not one per event: there are many of both.
 */
export function bindHandlers(
  socket: ParleySocket,
  handlers: ReadonlyMap<string, Handler>,
  services: SocketServices,
  log: Log,
): void {
  let count = 0;
  socket.use(([event, ...args]) => {
    // Whatever comes with the event that exceeds the limit is not examined.
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
    if (socket.data.actor.scope === 'read' && !handler.readOnly) throw new AppError('INSUFFICIENT_PAT_SCOPE');
    if (given === unparsed) throw new AppError('MALFORMED_JSON', { message: tooComplex });
    const payload = validated(handler.payload, given);
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
