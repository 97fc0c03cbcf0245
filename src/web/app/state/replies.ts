import { signal } from '@preact/signals';
import type { ChannelEventMap, Message } from '../../../client/index.ts';
import { parley } from './client.ts';

type Piece = ChannelEventMap['message:stream'];

/** A reply that a bot is making, as far as it was heard. */
export interface Reply {
  key: string;
  channelId: string;
  threadId: string | null;
  replyToId: string | null;
  author: Message['author'];
  /** What was heard without a gap; what came before it is not known when it is not `whole`. */
  heard: string;
  whole: boolean;
  /** How far the reply has come, for noticing that pieces were missed; undefined: nobody says. */
  reached: number | undefined;
  /** What it has become, when that is known before the message is here. */
  messageId: string | null;
  startedAt: string;
}

/** The server says when a reply was given up, after half a minute; this is for those who could not hear it. */
const silenceMs = 60_000;
/** So long a message may take that is on its way. */
const arrivalMs = 2000;

/** The replies that are being made, in the order in which they began. */
export const replies = signal<readonly Reply[]>([]);
const timers = new Map<string, ReturnType<typeof setTimeout>>();

/** Listens in a channel; those of DMs that were not opened are heard without. */
export function hearReplies(channelId: string): void {
  const channel = parley.channel(channelId);
  channel.listen('message:stream', hear);
  channel.listen('message:new', arrive);
}

function hear(piece: Piece): void {
  const key = `${piece.userId} ${piece.channelId} ${piece.streamId}`;
  const known = replies.value.find((reply) => reply.key === key);
  if (!piece.done) carryOn(key, known, piece);
  else if (known && piece.messageId) put({ ...known, messageId: piece.messageId }, arrivalMs);
  else remove(key);
}

function carryOn(key: string, known: Reply | undefined, piece: Piece): void {
  const { author, channelId, threadId, replyToId = null, offset, delta = '' } = piece;
  if (!author) return;
  const before = known ?? { messageId: null, startedAt: new Date().toISOString(), heard: '', whole: true, reached: 0 };
  const joins = known ? offset === undefined || offset === known.reached : offset === 0;
  const heard = joins ? before.heard + delta : delta;
  const reached = offset === undefined ? undefined : offset + delta.length;
  const { messageId, startedAt } = before;
  const whole = joins && before.whole;
  put({ key, channelId, threadId, replyToId, author, heard, whole, reached, messageId, startedAt }, silenceMs);
}

/** The message comes before the word that a reply has become it: so it is known by its beginning. */
function arrive(message: Message): void {
  const could = replies.value.filter(
    ({ author, threadId, replyToId }) =>
      author.id === message.authorId && threadId === message.threadId && replyToId === message.replyToId,
  );
  const told = could.find(({ messageId }) => messageId === message.id);
  const [longest] = could
    .filter(({ heard, whole }) => (whole ? message.content.startsWith(heard) : message.content.includes(heard)))
    .sort((one, other) => other.heard.length - one.heard.length);
  const become = told ?? longest;
  if (become) remove(become.key);
}

function put(reply: Reply, forMs: number): void {
  const isNew = !replies.value.some(({ key }) => key === reply.key);
  replies.value = isNew
    ? [...replies.value, reply]
    : replies.value.map((other) => (other.key === reply.key ? reply : other));
  clearTimeout(timers.get(reply.key));
  timers.set(
    reply.key,
    setTimeout(() => remove(reply.key), forMs),
  );
}

function remove(key: string): void {
  clearTimeout(timers.get(key));
  timers.delete(key);
  if (replies.value.some((reply) => reply.key === key)) replies.value = replies.value.filter((one) => one.key !== key);
}

parley.on('message:stream', hear);
parley.on('message:new', arrive);
