import { signal } from '@preact/signals';
import type { ChannelEventMap, Message } from '../../../client/index.ts';
import { parley } from './client.ts';

type Piece = ChannelEventMap['message:stream'];

/** A bot's reply in progress, as far as it was received. */
export interface Reply {
  key: string;
  channelId: string;
  threadId: string | null;
  replyToId: string | null;
  author: Message['author'];
  /** The text received without a gap; when not `whole`, its beginning is missing. */
  heard: string;
  whole: boolean;
  /** The position in the reply, to detect missed pieces; undefined: unknown. */
  reached: number | undefined;
  /** The message it has become, if that is known before the message arrives. */
  messageId: string | null;
  startedAt: string;
}

/** The server reports abandoned replies after half a minute; this is for clients that could not hear it. */
const silenceMs = 60_000;
/** How long the message may take to arrive. */
const arrivalMs = 2000;

/** The replies in progress, oldest first. */
export const replies = signal<readonly Reply[]>([]);
/** Keys of those on the screen. */
const shown = new Set<string>();
/** Ids of the messages that those have become. */
const followed = new Set<string>();
const timers = new Map<string, ReturnType<typeof setTimeout>>();

/** Listens in a channel; events of unopened DMs arrive anyway. */
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

/** The message comes before the event that names it, so it is recognized by its beginning. */
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
  if (!become) return;
  if (shown.has(become.key)) followed.add(message.id);
  remove(become.key);
}

/** A reply is on the screen. @returns ends that */
export function showReply(key: string): () => void {
  shown.add(key);
  return () => shown.delete(key);
}

/** Whether a message was on the screen while it was written: nobody who reads it is to lose their place. */
export const wasFollowed = (messageId: string): boolean => followed.has(messageId);

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
