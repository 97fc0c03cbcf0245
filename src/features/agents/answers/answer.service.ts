import type { z } from 'zod';
import type { Actor } from '../../../contract/actor.ts';
import type { answerContextQuery, answerContextSchema } from '../../../contract/agent-feed.ts';
import { AppError, missingAs } from '../../../contract/errors.ts';
import type { AgentAccess } from '../../accounts/agent.access.ts';
import { type AgentIdentity, actorOf } from '../../accounts/agent.identity.ts';
import type { Context } from '../../context.ts';
import { commandingAmong, concerningAmong } from '../../messages/bots.table.ts';
import { hearingOf } from '../../messages/hearing.ts';
import { concealed } from '../../messages/message.reader.ts';
import { type MessageRecord, messageRecord } from '../../messages/message.view.ts';
import { answerContext, type ContextRow, findAnswer, lookedThroughFrom } from './answer.table.ts';

type AnswerContext = z.input<typeof answerContextSchema>;

interface Deps extends Pick<Context, 'database' | 'channelAccess' | 'policyAccess'> {
  agentAccess: AgentAccess;
  agentIdentity: AgentIdentity;
}

/** What bots could read when they wrote their answers, for their owners (contract §4). */
export class AnswerService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * What an answer was made from: what the bot's policy let it have then, while the bot is still in the channel.
   * @throws AppError AGENT_NOT_FOUND, FORBIDDEN for the bot itself, MESSAGE_NOT_FOUND also for one without `answersTo`
   */
  async context(
    actor: Actor,
    agentId: string,
    messageId: string,
    query: z.output<typeof answerContextQuery>,
  ): Promise<AnswerContext> {
    const { userId } = await this.deps.agentAccess.owned(actor, agentId);
    const { rows } = this.deps.database;
    const answer = await findAnswer(rows, messageId, userId);
    const bot = answer && (await this.deps.agentIdentity.find(userId));
    if (!answer || !bot) throw new AppError('MESSAGE_NOT_FOUND');
    const { channelId, answersTo, hearing } = answer;
    await this.deps.channelAccess.entered(actorOf(bot), channelId).catch(missingAs('MESSAGE_NOT_FOUND'));
    const before = Math.min(query.before ?? Number.MAX_SAFE_INTEGER, answersTo + 1);
    const from = await lookedThroughFrom(rows, channelId, before);
    const part = { botUserId: userId, before, from: from ?? 0, limit: query.limit + 1 };
    const found = await answerContext(rows, answer, part);
    const page = found.slice(0, query.limit);
    const next = found.length > query.limit ? page.at(-1)?.seq : from;
    const shown = await concealed(rows, page, hearing === 'all' ? null : userId);
    const readable = await this.readableNow(userId, channelId, page);
    const changed = new Set(page.filter(({ changedSince }) => changedSince).map(({ id }) => id));
    const messages = shown.map((row) => {
      const record = messageRecord(row, null);
      const seen = readable.has(row.id) ? record : withoutPresent(record, changed.has(row.id));
      return changed.has(row.id) ? { ...seen, changedSince: true } : seen;
    });
    const more = { hasMore: next !== undefined, before: next ?? null };
    return { messageId, channelId, answersTo, hearing, messages, ...more };
  }

  /** Those of a page that the bot could read today. */
  private async readableNow(botUserId: string, channelId: string, page: ContextRow[]): Promise<Set<string>> {
    const { rows } = this.deps.database;
    const ids = page.map(({ id }) => id);
    const own = page.filter(({ author_id }) => author_id === botUserId).map(({ id }) => id);
    const hearing = hearingOf(await this.deps.policyAccess.effective(botUserId, channelId));
    if (hearing === 'all') return new Set(ids);
    if (hearing === 'own') return concerningAmong(rows, botUserId, ids);
    const commands = hearing === 'commands' ? await commandingAmong(rows, botUserId, ids) : [];
    return new Set([...own, ...commands]);
  }
}

/** A message that the bot may no longer read, without what it did not have then: the present text, and what came of it. */
function withoutPresent(record: MessageRecord, isChanged: boolean): MessageRecord {
  const known = { ...record, reactions: [], thread: null, poll: undefined };
  if (!isChanged) return known;
  const text = { content: '', attachments: [], mentions: [], metadata: null, previews: [], forwarded: undefined };
  return { ...known, ...text, replyTo: null };
}
