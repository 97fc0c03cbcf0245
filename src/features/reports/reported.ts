import type { z } from 'zod';
import type { ServerAccess } from '../../access/server.access.ts';
import { userById } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import type { ErrorCode } from '../../contract/error-codes.ts';
import { AppError } from '../../contract/errors.ts';
import { saidIn } from '../../contract/quote.ts';
import type { reportSchema, Snapshot } from '../../contract/report.ts';
import { isoTime } from '../../contract/schema.ts';
import type { Database } from '../../database/database.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { AppAccess } from '../apps/app.access.ts';
import { findServer } from '../members/server.table.ts';
import type { MessageAccess } from '../messages/message.access.ts';
import type { MessageRow } from '../messages/message.view.ts';
import { messagesBeside, type NewCase, type SaidMessage } from './report.table.ts';

type Input = z.output<typeof reportSchema>;

interface Deps {
  database: Database;
  serverAccess: ServerAccess;
  messageAccess: MessageAccess;
  appAccess: AppAccess;
}

/** Refusals of what may not be seen read as if it were not there: whoever reports must see it (contract §5). */
const unseenAs =
  (code: ErrorCode) =>
  (error: unknown): never => {
    throw error instanceof AppError && (error.status === 403 || error.status === 404) ? new AppError(code) : error;
  };

/** What a case keeps of a message and of those beside it. */
export function snapshotOf(message: SaidMessage, beside: SaidMessage[]): Snapshot {
  const kept = [message, ...beside].map((one) => ({
    ...one,
    createdAt: isoTime(one.createdAt),
    reported: one === message,
  }));
  return { messages: kept.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1)) };
}

/** With what it passes on, which those who decide might not find any more. */
function saidMessage(row: MessageRow): SaidMessage {
  const { id, author_id: authorId, created_at: createdAt, content, poll, components, forwarded } = row;
  const files = row.attachments ?? [];
  const passedOn = new Set(forwarded?.attachmentIds);
  const namesOf = (isPassedOn: boolean) =>
    files.filter((file) => passedOn.has(file.id) === isPassedOn).map(({ filename }) => filename);
  const said = { id, authorId, createdAt, content: saidIn({ content, poll, components }), attachments: namesOf(false) };
  if (!forwarded || forwarded.isWithdrawn) return said;
  const of = { authorId: forwarded.author.id, content: forwarded.content, attachments: namesOf(true) };
  return { ...said, forwarded: of };
}

/** What may be reported, as the reporter sees it, and what is kept of it. */
export class ReportedObjects {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @throws AppError MESSAGE_NOT_FOUND, USER_NOT_FOUND, SERVER_NOT_FOUND, APP_NOT_FOUND, MEMBER_NOT_FOUND, OWN_USER */
  async find(actor: Actor, input: Input): Promise<NewCase> {
    const found = await this.look(actor, input);
    if (found.aboutId === actor.userId) throw new AppError('OWN_USER', { message: 'That is your own.' });
    const { serverId, aboutId } = found;
    const member = serverId && aboutId && (await this.deps.serverAccess.membership(serverId, aboutId));
    // Nobody in the server is above its owner.
    return { ...found, id: newId(), kind: input.kind, toOperators: !!member && member.role === 'owner' };
  }

  private async look(actor: Actor, { kind, messageId = '', userId = '', serverId = '', appId = '' }: Input) {
    if (kind === 'message') return this.message(actor, messageId);
    if (kind === 'user') return this.person(actor, userId, serverId || null);
    if (kind === 'server') return this.server(actor, serverId);
    const app = await this.deps.appAccess.visible(actor, serverId, appId).catch(unseenAs('APP_NOT_FOUND'));
    const snapshot: Snapshot = { name: app.name, description: app.description ?? null };
    return { serverId: app.serverId, objectId: app.id, channelId: null, aboutId: app.createdBy ?? null, snapshot };
  }

  private async message(actor: Actor, messageId: string) {
    const { messageAccess, database } = this.deps;
    const { row, channel } = await messageAccess.readable(actor, messageId).catch(unseenAs('MESSAGE_NOT_FOUND'));
    const { channel_id: channelId, thread_id: threadId, seq } = row;
    // A bot may not read all that is beside what it was sent.
    const beside = actor.user.isBot ? [] : await messagesBeside(database.rows, { channelId, threadId, seq });
    const { id, author_id: authorId } = row;
    const snapshot = snapshotOf(saidMessage(row), beside);
    return { serverId: channel.serverId, channelId, objectId: id, aboutId: authorId, snapshot };
  }

  private async person(actor: Actor, userId: string, serverId: string | null) {
    const user = await userById(this.deps.database.rows, userId);
    if (serverId !== null) {
      await this.deps.serverAccess.joined(actor, serverId).catch(unseenAs('SERVER_NOT_FOUND'));
      if (!(await this.deps.serverAccess.membership(serverId, userId))) throw new AppError('MEMBER_NOT_FOUND');
    }
    const snapshot: Snapshot = { name: `${user.displayName} (@${user.username})` };
    return { serverId, objectId: userId, channelId: null, aboutId: userId, snapshot };
  }

  private async server(actor: Actor, serverId: string) {
    const { id, ownerId } = await this.deps.serverAccess.visible(actor, serverId);
    const server = await findServer(this.deps.database.rows, id, actor.userId);
    if (!server) throw new AppError('SERVER_NOT_FOUND');
    const snapshot: Snapshot = { name: server.name, description: server.description ?? null };
    return { serverId: null, objectId: id, channelId: null, aboutId: ownerId, snapshot };
  }
}
