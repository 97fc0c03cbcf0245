import type { RestAnswer } from './rest.ts';

export { Bot, type BotEvents, type BotOptions } from './bot/bot.ts';
export type { CommandCall } from './bot/commands.ts';
export type { Form, Interaction, InteractionReply, InteractionTurn } from './bot/interactions.ts';
export type { CommandSpec, OptionsOf, OptionValues } from './bot/options.ts';
export type { MessageTurn, ReplyInput } from './bot/turn.ts';
export { Channel, type ChannelEventMap, type StreamPiece } from './channel.ts';
export type { ConnectionState, Status } from './connection.ts';
export { ParleyError } from './errors.ts';
export type { CallOptions, Transport } from './http.ts';
export type { MessageInput, Pending } from './outbox.ts';
export { type CustomStatus, type CustomStatusOf, Parley, type ParleyEventMap, type ParleyOptions } from './parley.ts';
export type { RestAnswer, RestCall, RestInput } from './rest.ts';
export { type KeyValueStore, MemoryStore } from './store.ts';

export type AuthAnswer = RestAnswer<'POST /api/auth/login'>;
export type OwnUser = RestAnswer<'GET /api/auth/me'>;
export type Message = RestAnswer<'GET /api/messages/:id'>;
export type ChannelRecord = RestAnswer<'GET /api/channels/:id'>;
export type ThreadRecord = RestAnswer<'GET /api/threads/:id'>;
export type NotificationRecord = RestAnswer<'GET /api/notifications'>[number];
export type ServerRecord = RestAnswer<'GET /api/servers/:id'>;
