import { isJson, type Json, objectsIn } from '../../../features/hooks/formats/json.ts';
import { TransferError } from '../../transfer/failure.ts';
import type { Archive } from '../archive.ts';
import { emojiNamed, ownName } from '../emoji.ts';
import {
  type ForeignAccess,
  type ForeignFile,
  type ForeignReaction,
  type ForeignRecord,
  plainMessage,
  problem,
} from '../foreign.ts';
import { firstOf, idOf, Met, numberOf, objectOf, textOf } from '../said.ts';
import { discordText, embedsAsText } from './discord-text.ts';
import { itemsOf } from './items.ts';

/** Messages of people and bots, by name, and by number where the exporter knew no name. */
const written = new Set(['Default', 'Reply', 'ChatInputCommand', 'ContextMenuCommand', '0', '19', '20', '23']);
const directTypes = new Set(['DirectTextChat', 'DirectGroupTextChat', '1', '3']);
const publicThreads = new Set(['GuildPublicThread', 'GuildNewsThread', '10', '11']);
const privateThreads = new Set(['GuildPrivateThread', '12']);

/** A channel or thread with its file. */
interface Part {
  file: string;
  id: string;
  name: string;
  topic: string;
  category: string;
  access: ForeignAccess;
  /** The channel of a thread. */
  parent: { id: string; name: string } | null;
}

/** Exports of DiscordChatExporter in JSON: a file for each channel and thread. @throws TransferError */
export async function* readDiscord(archive: Archive): AsyncGenerator<ForeignRecord> {
  const parts: Part[] = [];
  for (const file of archive.names.filter((name) => name.endsWith('.json'))) {
    const part = await headOf(archive, file);
    if (part) parts.push(part);
    else yield problem('a file is no export of a channel', file);
  }
  if (parts.length === 0)
    throw new TransferError('It is no export of Discord: no JSON file in it is that of a channel.');
  const seen = new Set<string>();
  for (const part of parts) {
    const { id, name } = part.parent ?? part;
    // A channel is told by its own file, if there is one.
    if (seen.has(id) || (part.parent && parts.some((other) => other.id === id))) continue;
    seen.add(id);
    const description = part.parent ? '' : part.topic;
    const access = part.parent ? 'unknown' : part.access;
    const category = part.parent ? '' : part.category;
    const said = { kind: 'channel', key: id, name, description, access, isArchived: false } as const;
    yield { ...said, ...(category === '' ? {} : { category }), createdAt: timeOfId(id) };
  }
  const reader = new Reader(archive);
  for (const part of parts.filter(({ parent }) => !parent)) yield* reader.messages(part);
  for (const part of parts.filter(({ parent }) => parent)) yield* reader.thread(part);
}

/** What a file says before its messages. */
async function headOf(archive: Archive, file: string): Promise<Part | null> {
  let hasGuild = false;
  for await (const item of itemsOf(archive, file)) {
    if (!('value' in item) || item.key === 'messages') return null;
    if (item.key === 'guild') hasGuild = true;
    if (item.key !== 'channel' || !isJson(item.value)) continue;
    return hasGuild ? partOf(file, item.value) : null;
  }
  return null;
}

function partOf(file: string, channel: Json): Part | null {
  const id = idOf(channel.id);
  const type = idOf(channel.type);
  if (id === '') return null;
  const isThread = publicThreads.has(type) || privateThreads.has(type);
  const parent = { id: idOf(channel.categoryId), name: firstOf(channel.category, channel.categoryId) };
  return {
    file,
    id,
    name: firstOf(channel.name, id),
    topic: textOf(channel.topic),
    category: isThread ? '' : textOf(channel.category),
    access: directTypes.has(type) ? 'direct' : privateThreads.has(type) ? 'private' : 'unknown',
    parent: isThread && parent.id !== '' ? parent : null,
  };
}

class Reader {
  private readonly archive: Archive;
  private readonly people = new Met();
  private readonly emoji = new Met();

  constructor(archive: Archive) {
    this.archive = archive;
  }

  /** A thread starts from the message of the same id; one that started from none, from a message with its name. */
  async *thread(part: Part): AsyncGenerator<ForeignRecord> {
    const { parent, id, name, access, file } = part;
    if (!parent) return;
    if (access === 'private') {
      yield problem('a private thread was left out: there are none here', file);
      return;
    }
    yield { kind: 'thread', channel: parent.id, root: id, name };
    yield* this.messages(part);
    const author = 'discord';
    yield {
      kind: 'person',
      key: author,
      username: author,
      displayName: 'Discord',
      email: null,
      isBot: true,
      isGone: true,
    };
    const said = { key: id, channel: parent.id, author, text: `**${name}**`, at: timeOfId(id) ?? 0 };
    yield plainMessage({ ...said, isSubstitute: true });
  }

  async *messages(part: Part): AsyncGenerator<ForeignRecord> {
    for await (const item of itemsOf(this.archive, part.file)) {
      if (!('value' in item)) yield item;
      else if (item.key === 'messages') yield* this.message(part, objectOf(item.value), item.place);
    }
  }

  private *message(part: Part, said: Json, place: string): Generator<ForeignRecord> {
    const type = idOf(said.type);
    if (!written.has(type)) {
      // The first entry of a thread repeats the message that it starts from.
      if (type !== 'ThreadStarterMessage' && type !== '21')
        yield problem('it is no message of anyone, such as that someone joined', place);
      return;
    }
    const [key, at, author] = [idOf(said.id), timeOf(said.timestamp), objectOf(said.author)];
    if (key === '' || at === null || idOf(author.id) === '') {
      yield problem('a message has no id, no author or no time', place);
      return;
    }
    for (const person of [author, ...objectsIn(said.mentions)]) yield* this.person(person);
    const reactions = objectsIn(said.reactions);
    for (const { users } of reactions) for (const person of objectsIn(users)) yield* this.person(person);
    yield* this.ownEmoji(part, said);
    const channel = part.parent?.id ?? part.id;
    yield plainMessage({
      key,
      channel,
      author: idOf(author.id),
      text: textIn(said),
      at,
      editedAt: timeOf(said.timestampEdited),
      root: part.parent && key !== part.id ? part.id : null,
      replyTo: type === 'Reply' || type === '19' ? idOf(objectOf(said.reference).messageId) || null : null,
      isPinned: said.isPinned === true && !part.parent,
      files: objectsIn(said.attachments).map((file) => this.fileOf(part, file)),
      reactions: reactions.flatMap(reactionsOf),
    });
  }

  private *person(said: Json): Generator<ForeignRecord> {
    const key = idOf(said.id);
    if (key === '' || !this.people.add(key)) return;
    const username = firstOf(said.name, key);
    const displayName = firstOf(said.nickname, said.displayName, username);
    yield { kind: 'person', key, username, displayName, email: null, isBot: said.isBot === true, isGone: false };
  }

  private *ownEmoji(part: Part, said: Json): Generator<ForeignRecord> {
    const all = [...objectsIn(said.inlineEmojis), ...objectsIn(said.reactions).map(({ emoji }) => objectOf(emoji))];
    for (const emoji of all) {
      const name = ownName(textOf(emoji.name));
      const path = this.pathOf(part, emoji.imageUrl);
      if (idOf(emoji.id) !== '' && name && path && this.emoji.add(name)) yield { kind: 'emoji', name, file: path };
    }
  }

  private fileOf(part: Part, said: Json): ForeignFile {
    const name = firstOf(said.fileName, 'file');
    const path = this.pathOf(part, said.url);
    return { name, path, url: path === null ? textOf(said.url) : '', isSpoiler: name.startsWith('SPOILER_') };
  }

  /** Where a file is that the exporter fetched too, named from the folder of its channel's file. */
  private pathOf(part: Part, value: unknown): string | null {
    const said = textOf(value).replaceAll('\\', '/');
    if (said === '' || /^[a-z]+:\/\//i.test(said)) return null;
    const folder = part.file.slice(0, part.file.lastIndexOf('/') + 1);
    return [said, decoded(said)].map((path) => folder + path).find((path) => this.archive.has(path)) ?? null;
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function textIn(said: Json): string {
  const text = discordText(textOf(said.content), objectsIn(said.mentions));
  const stickers = objectsIn(said.stickers).map(({ name }) => `:${ownName(textOf(name)) ?? 'sticker'}:`);
  // Embeds of people's messages are previews of their links.
  const isBots = objectOf(said.author).isBot === true || text === '';
  return [text, ...(isBots ? embedsAsText(said.embeds) : []), ...stickers].filter((part) => part !== '').join('\n');
}

function reactionsOf(said: Json): ForeignReaction[] {
  const emoji = objectOf(said.emoji);
  const name = textOf(emoji.name);
  const own = ownName(name);
  const isOwn = idOf(emoji.id) !== '';
  const shown = isOwn ? own && `:${own}:` : (emojiNamed(textOf(emoji.code)) ?? name);
  if (!shown) return [];
  const people = objectsIn(said.users)
    .map(({ id }) => idOf(id))
    .filter((id) => id !== '');
  return [{ emoji: shown, people, nameless: Math.max(0, (numberOf(said.count) ?? 0) - people.length) }];
}

function timeOf(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

/** Ids of Discord have the time in them. */
const timeOfId = (id: string): number | null =>
  /^\d{15,20}$/.test(id) ? Number(BigInt(id) >> 22n) + 1_420_070_400_000 : null;
