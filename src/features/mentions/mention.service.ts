import type { z } from 'zod';
import { requireUnbarred } from '../../access/barred.ts';
import type { ChannelWithRights } from '../../access/channel.access.ts';
import type { Actor } from '../../contract/actor.ts';
import type { MentionRecord, suggestionsSchema, suggestQuerySchema } from '../../contract/mention.ts';
import { may } from '../../contract/roles.ts';
import { usernameKeys } from '../../contract/username.ts';
import type { Context } from '../context.ts';
import { type Candidate, findCandidates, possibleNames } from './mention.parser.ts';
import { type ChannelRow, channelsLike, channelsNamed, type UserRow, usersLike, usersNamed } from './mention.table.ts';

type Suggestion = z.input<typeof suggestionsSchema>['suggestions'][number];

type Deps = Pick<Context, 'database' | 'channelAccess'>;

/** Resolves the names in a text to users and channels (contract §6, §12). */
export class MentionService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * The mentions in a text that the actor sends to the channel, given its access. Queries the database only if there may be
   * some.
   * @param before those of the message that the text replaces: they stay as long as they stand in it, also of someone who
   *   has left
   */
  async find(
    actor: Actor,
    channel: ChannelWithRights,
    content: string,
    before: MentionRecord[] = [],
  ): Promise<MentionRecord[]> {
    const candidates = findCandidates(content);
    if (candidates.length === 0) return [];
    const [users, channels] = await Promise.all([
      this.usersOf(channel, candidates),
      this.channelsOf(actor, channel, candidates),
    ]);
    const mayCallAll = channel.kind === 'server' && may(channel.rights, 'message:mention-all');
    const known: Known = { users, channels, channelId: channel.id, mayCallAll };
    return candidates.flatMap((candidate) => {
      const found = resolved(candidate, content, known);
      return keptFrom(before, candidate, found, content) ?? found ?? [];
    });
  }

  /** @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER */
  async resolve(actor: Actor, channelId: string, content: string): Promise<MentionRecord[]> {
    return this.find(actor, await this.deps.channelAccess.readable(actor, channelId), content);
  }

  /** Suggestions for the beginning of a name. @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER, FORBIDDEN */
  async suggest(actor: Actor, query: z.output<typeof suggestQuerySchema>): Promise<Suggestion[]> {
    const channel = await this.deps.channelAccess.readable(actor, query.channelId);
    const { rows } = this.deps.database;
    if (query.trigger === '#') {
      return (await channelsLike(rows, actor, channel, query.q, query.limit)).map(channelSuggestion);
    }
    if (channel.serverId !== null) await requireUnbarred(rows, actor, channel.serverId);
    const typed = usernameKeys(query.q);
    const users = await usersLike(rows, channel, typed, query.limit);
    const mayCallAll = channel.kind === 'server' && may(channel.rights, 'message:mention-all');
    const all = (['here', 'everyone'] as const).filter(
      (kind) => mayCallAll && typed.some((key) => kind.startsWith(key)),
    );
    return [...users.map(userSuggestion), ...all.map((kind) => allSuggestion(kind, channel.id))].slice(0, query.limit);
  }

  private async usersOf(channel: ChannelWithRights, candidates: Candidate[]): Promise<Map<string, UserRow>> {
    const names = candidates.filter(({ kind }) => kind === 'name').flatMap(({ text }) => userNames(text));
    const ids = candidates.filter(({ kind }) => kind === 'user-id').map(({ text }) => text);
    if (names.length + ids.length === 0) return new Map();
    const rows = await usersNamed(this.deps.database.rows, channel, names.flatMap(usernameKeys), ids);
    return new Map(rows.flatMap((row) => [[row.username_key, row] as const, [row.id, row] as const]));
  }

  private async channelsOf(
    actor: Actor,
    channel: ChannelWithRights,
    candidates: Candidate[],
  ): Promise<Map<string, ChannelRow>> {
    const names = candidates.filter(({ kind }) => kind === 'channel-name').flatMap(({ text }) => channelNames(text));
    const ids = candidates.filter(({ kind }) => kind === 'channel-id').map(({ text }) => text);
    if (channel.serverId === null || names.length + ids.length === 0) return new Map();
    const rows = await channelsNamed(this.deps.database.rows, actor, channel, names, ids);
    // Of channels with the same name, the first in their order wins.
    return new Map(
      [...rows].reverse().flatMap(
        (row) =>
          [
            [channelKey(row.name), row],
            [row.id, row],
          ] as const,
      ),
    );
  }
}

interface Known {
  users: Map<string, UserRow>;
  channels: Map<string, ChannelRow>;
  channelId: string;
  mayCallAll: boolean;
}

// As written: some are longer or shorter in lower case, and a mention would end in another place.
const userNames = (text: string) => possibleNames(text, 3, 32);
const channelNames = (text: string) => possibleNames(text, 1, 100);
const channelKey = (name: string) => name.toLowerCase();

/** The user of this very name, as names of earlier versions are kept, else the one whose name folds to the same. */
function userNamed({ users }: Known, name: string): UserRow | undefined {
  const key = usernameKeys(name).find((one) => users.has(one));
  return key === undefined ? undefined : users.get(key);
}

/** The mention that a candidate resolves to; undefined: it names nobody and nothing that its author may name. */
function resolved(candidate: Candidate, content: string, known: Known): MentionRecord | undefined {
  const { kind, start, textStart, text, end } = candidate;
  const record = (what: MentionRecord['kind'], targetId: string, label: string, to: number): MentionRecord => ({
    kind: what,
    targetId,
    token: content.slice(start, to),
    label,
    range: { start, end: to },
  });
  const ofUser = (user: UserRow | undefined, to: number) => user && record('user', user.id, user.display_name, to);
  const ofChannel = (channel: ChannelRow | undefined, to: number) =>
    channel && record('channel', channel.id, channel.name, to);
  switch (kind) {
    case 'here':
    case 'everyone':
      return known.mayCallAll ? record(kind, known.channelId, kind, end) : undefined;
    case 'user-id':
      return ofUser(known.users.get(text), end);
    case 'channel-id':
      return ofChannel(known.channels.get(text), end);
    case 'name': {
      const name = userNames(text).find((possible) => userNamed(known, possible)) ?? '';
      return ofUser(userNamed(known, name), textStart + name.length);
    }
    case 'channel-name': {
      const name = channelNames(text).find((possible) => known.channels.has(channelKey(possible))) ?? '';
      return ofChannel(known.channels.get(channelKey(name)), textStart + name.length);
    }
  }
}

/** The earlier mention at a candidate's position, unless the text there names something else by now. */
function keptFrom(
  before: MentionRecord[],
  { start, end, textStart, text }: Candidate,
  found: MentionRecord | undefined,
  content: string,
): MentionRecord | undefined {
  const most = found?.token.length ?? 0;
  const kept = before
    .filter(({ token }) => token.length >= most && start + token.length <= end && content.startsWith(token, start))
    // A name is not found within a longer word.
    .filter(
      ({ token }) => token.startsWith('<') || possibleNames(text, 1, 100).includes(token.slice(textStart - start)),
    )
    .sort((one, other) => other.token.length - one.token.length)[0];
  return kept && { ...kept, range: { start, end: start + kept.token.length } };
}

function userSuggestion(row: UserRow): Suggestion {
  return {
    id: `user:${row.id}`,
    kind: 'user',
    targetId: row.id,
    token: `@${row.username}`,
    label: row.display_name,
    username: row.username,
    avatarUrl: row.avatar_url,
    isBot: row.is_bot,
  };
}

/** A name that the parser would not find again in the text is inserted as an id. */
function channelSuggestion(row: ChannelRow): Suggestion {
  const token = /^[\p{L}\p{N}_-]+$/u.test(row.name) ? `#${row.name}` : `<#${row.id}>`;
  return { id: `channel:${row.id}`, kind: 'channel', targetId: row.id, token, label: row.name };
}

function allSuggestion(kind: 'here' | 'everyone', channelId: string): Suggestion {
  return { id: `${kind}:${channelId}`, kind, targetId: channelId, token: `@${kind}`, label: kind };
}
