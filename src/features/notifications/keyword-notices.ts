import { NIL } from 'uuid';
import { withoutQuoted } from '../../contract/mentions/quoted.ts';
import { cut, withoutSpoilers } from '../../contract/quote.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import { type InsideWork, insideWork } from '../../jobs/job.kind.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { type KeywordJob, keywordKind } from '../../jobs/keyword.jobs.ts';
import { atOnce, portion } from '../../jobs/notification.jobs.ts';
import type { DigestSettings } from '../../settings/mail-settings.ts';
import type { NotificationDraft } from './draft.ts';
import { keywordTable } from './keyword.table.ts';
import { Said } from './keywords.ts';
import { draftOf, isMentioned, notYetNotified, quoted } from './message-notices.ts';
import { contentsOf, type NotedMessage, readMessages } from './noted-message.table.ts';
import { writeNotifications } from './notification.writer.ts';

/** How many people one message notifies at most in this way (contract §7). */
const mostPeople = 5000;
/** Words after that many are not looked at. */
const mostWords = 8000;
const longestShown = 40;

/** A part of those who have words of a message among their own, in order, and what they are notified by. */
interface Piece {
  found: string[];
  drafts: NotificationDraft[];
}

/**
 * Notifies those who wait for words of a message, unless it names or answers them: then they are notified of that. Whether
 * they may read it, have blocked its author, or want nothing from there is decided as for a mention.
 */
export function keywordWork(jobs: Jobs, settings: DigestSettings): InsideWork {
  return insideWork(
    keywordKind,
    async (change, asked) => {
      const { rows } = change;
      const ids = asked.map(({ data }) => data.messageId);
      const messages = await readMessages(rows, ids);
      const contents = await contentsOf(rows, ids);
      const pieces: Piece[] = [];
      for (const { data } of asked) {
        const message = messages.get(data.messageId);
        if (!message?.server_id) continue;
        const piece = await next(rows, data, message, contents.get(message.id) ?? '');
        pieces.push(piece);
        const told = data.told + piece.drafts.length;
        const isMore = piece.found.length === portion && told < mostPeople;
        if (isMore) await jobs.add(change, keywordKind, { ...data, after: piece.found.at(-1) ?? null, told });
      }
      const drafts = pieces.flatMap((piece) => piece.drafts);
      // Locked all at once, so that transactions do not deadlock.
      await change.lock(...drafts.map(({ userId }) => userRoom(userId)));
      await writeNotifications(change, await quoted(rows, await notYetNotified(rows, drafts, [])), settings);
    },
    { batch: 20, reach: { most: atOnce, of: () => portion } },
  );
}

async function next(rows: Rows, { after }: KeywordJob, message: NotedMessage, content: string): Promise<Piece> {
  const said = new Said(withoutQuoted(withoutSpoilers(content)), mostWords);
  const holders = await keywordTable.holders(rows, message.channel_id, said.words, after ?? NIL, portion);
  const drafts = holders.flatMap(({ userId, keywords }): NotificationDraft[] => {
    if (isMeantOtherwise(message, userId)) return [];
    const keyword = keywords.find((one) => said.has(one));
    return keyword === undefined ? [] : [draftBy(message, userId, keyword)];
  });
  return { found: holders.map(({ userId }) => userId), drafts };
}

/** It is their own, names them, or answers them. `@here` may have passed them by. */
function isMeantOtherwise(message: NotedMessage, userId: string): boolean {
  if (message.author_id === userId || message.reply_author_id === userId) return true;
  const isForAll = message.mentions?.some(({ kind }) => kind === 'everyone') && message.may_broadcast;
  return (
    isForAll === true ||
    isMentioned({ mentions: message.mentions?.filter(({ kind }) => kind === 'user') ?? null }, userId)
  );
}

function draftBy(message: NotedMessage, userId: string, keyword: string): NotificationDraft {
  const title = `${message.author_name} wrote “${cut(keyword, longestShown)}” in #${message.channel_name}`;
  return { ...draftOf(message, userId, 'message.keyword'), title };
}
