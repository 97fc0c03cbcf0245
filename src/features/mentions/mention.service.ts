import type { z } from 'zod';
import { requireUnbarred } from '../../access/barred.ts';
import type { ChannelWithRights } from '../../access/channel.access.ts';
import type { Actor } from '../../contract/actor.ts';
import type { MentionRecord, suggestionsSchema, suggestQuerySchema } from '../../contract/mention.ts';
import { findCandidates, tokenFor } from '../../contract/mentions/grammar.ts';
import { type KnownNames, mentionsIn, type Named, type Sought, soughtIn } from '../../contract/mentions/resolve.ts';
import { may } from '../../contract/roles.ts';
import { usernameKeys } from '../../contract/username.ts';
import type { Context } from '../context.ts';
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
   * @param before those of the message that the text replaces
   */
  async find(
    actor: Actor,
    channel: ChannelWithRights,
    content: string,
    before: MentionRecord[] = [],
  ): Promise<MentionRecord[]> {
    const candidates = findCandidates(content);
    if (candidates.length === 0) return [];
    const sought = soughtIn(content, candidates);
    const keys = new Map(sought.users.map((name) => [name, usernameKeys(name)]));
    const [users, channels] = await Promise.all([
      this.usersOf(channel, [...keys.values()].flat(), sought.userIds),
      this.channelsOf(actor, channel, sought),
    ]);
    const mayCallAll = channel.kind === 'server' && may(channel.rights, 'message:mention-all');
    const known = { ...knownUsers(users, keys), ...knownChannels(channels) };
    return mentionsIn(content, candidates, { ...known, everyoneIn: mayCallAll ? channel.id : null }, before);
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

  private async usersOf(channel: ChannelWithRights, keys: string[], ids: string[]): Promise<UserRow[]> {
    return keys.length + ids.length === 0 ? [] : usersNamed(this.deps.database.rows, channel, keys, ids);
  }

  private async channelsOf(
    actor: Actor,
    channel: ChannelWithRights,
    { channels, channelIds }: Sought,
  ): Promise<ChannelRow[]> {
    if (channel.serverId === null || channels.length + channelIds.length === 0) return [];
    return channelsNamed(this.deps.database.rows, actor, channel, channels, channelIds);
  }
}

const channelKey = (name: string) => name.toLowerCase();

/** @param keys those of each name that was looked up: they take longer than all else, so they are made once */
function knownUsers(users: UserRow[], keys: Map<string, string[]>): Pick<KnownNames, 'userNamed' | 'userOf'> {
  const named = ({ id, display_name }: UserRow): Named => ({ id, label: display_name });
  const byKey = new Map(users.map((row) => [row.username_key, named(row)]));
  const byId = new Map(users.map((row) => [row.id, named(row)]));
  return {
    // The user of this very name, as names of earlier versions are kept, else the one whose name folds to the same.
    userNamed: (name) => byKey.get(keys.get(name)?.find((key) => byKey.has(key)) ?? ''),
    userOf: (id) => byId.get(id),
  };
}

function knownChannels(channels: ChannelRow[]): Pick<KnownNames, 'channelNamed' | 'channelOf'> {
  const named = ({ id, name }: ChannelRow): Named => ({ id, label: name });
  // Of channels with the same name, the first in their order wins.
  const byName = new Map(channels.toReversed().map((row) => [channelKey(row.name), named(row)]));
  const byId = new Map(channels.map((row) => [row.id, named(row)]));
  return { channelNamed: (name) => byName.get(channelKey(name)), channelOf: (id) => byId.get(id) };
}

function userSuggestion(row: UserRow): Suggestion {
  return {
    id: `user:${row.id}`,
    kind: 'user',
    targetId: row.id,
    token: tokenFor('@', row.username, row.id),
    label: row.display_name,
    username: row.username,
    avatarUrl: row.avatar_url,
    isBot: row.is_bot,
  };
}

function channelSuggestion(row: ChannelRow): Suggestion {
  const token = tokenFor('#', row.name, row.id);
  return { id: `channel:${row.id}`, kind: 'channel', targetId: row.id, token, label: row.name };
}

function allSuggestion(kind: 'here' | 'everyone', channelId: string): Suggestion {
  return { id: `${kind}:${channelId}`, kind, targetId: channelId, token: `@${kind}`, label: kind };
}
