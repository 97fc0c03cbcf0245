import { type Json, objectsIn } from '../../../features/hooks/formats/json.ts';
import { slack as slackHook } from '../../../features/hooks/formats/slack.ts';
import { TransferError } from '../../transfer/failure.ts';
import { type Archive, rootOf } from '../archive.ts';
import { ownName, reactionOf, withEmoji } from '../emoji.ts';
import {
  type ForeignFile,
  type ForeignMessage,
  type ForeignReaction,
  type ForeignRecord,
  plainMessage,
  problem,
} from '../foreign.ts';
import { channelMark, clean, personMark } from '../marks.ts';
import { firstOf, idOf, numberOf, objectOf, textOf } from '../said.ts';
import { linesOf } from './items.ts';

/** The types of lines that are no content, or come with another. */
const silent = new Set(['version', 'scheme', 'role', 'team', 'info', 'channel_bookmark']);

/** A bulk export of Mattermost: JSON Lines, alone or in a ZIP file with the files in `data/`. @throws TransferError */
export async function* readMattermost(archive: Archive): AsyncGenerator<ForeignRecord> {
  const isList = (name: string) => name.endsWith('.jsonl');
  const root = rootOf(archive, isList);
  const file =
    root === undefined
      ? archive.names.find((name) => archive.names.length === 1 && name.endsWith('.json'))
      : archive.names.find((name) => name.startsWith(root) && isList(name));
  if (file === undefined) throw new TransferError('It is no bulk export of Mattermost: there is no .jsonl file in it.');
  const reader = new Reader(archive, root ?? '');
  let line = 0;
  for await (const item of linesOf(archive, file)) {
    line++;
    if ('value' in item) yield* reader.take(objectOf(item.value), String(line), item.place);
    else yield item;
  }
}

class Reader {
  private readonly archive: Archive;
  private readonly root: string;

  constructor(archive: Archive, root: string) {
    this.archive = archive;
    this.root = root;
  }

  *take(line: Json, number: string, place: string): Generator<ForeignRecord> {
    const type = textOf(line.type);
    const said = objectOf(line[type]);
    if (type === 'channel') yield* channelOf(said, place);
    else if (type === 'user') yield* this.user(said, place);
    else if (type === 'bot') yield* botOf(said, place);
    else if (type === 'emoji') yield* this.emoji(said, place);
    else if (type === 'post') yield* this.post(said, number, place);
    else if (type === 'direct_channel') yield problem('a direct conversation was left out', place);
    else if (type === 'direct_post') yield problem('a direct message was left out', place);
    else if (!silent.has(type)) yield problem('a line is of no known type', place);
  }

  private *user(said: Json, place: string): Generator<ForeignRecord> {
    const username = idOf(said.username);
    if (username === '') {
      yield problem('someone has no username', place);
      return;
    }
    const full = [textOf(said.first_name), textOf(said.last_name)].filter(Boolean).join(' ');
    yield {
      kind: 'person',
      key: username,
      username,
      displayName: firstOf(said.nickname, full, username),
      email: textOf(said.email) || null,
      isBot: false,
      isGone: (numberOf(said.delete_at) ?? 0) > 0,
    };
    for (const team of objectsIn(said.teams)) {
      for (const channel of objectsIn(team.channels)) {
        yield { kind: 'membership', channel: `${idOf(team.name)}/${idOf(channel.name)}`, person: username };
      }
    }
  }

  private *emoji(said: Json, place: string): Generator<ForeignRecord> {
    const name = ownName(textOf(said.name));
    const path = this.pathOf(said.image);
    if (name && path) yield { kind: 'emoji', name, file: path };
    else yield problem('the picture of an emoji is not in the archive', place);
  }

  private *post(said: Json, number: string, place: string): Generator<ForeignRecord> {
    const channel = `${idOf(said.team)}/${idOf(said.channel)}`;
    const post = this.message(said, number, channel);
    if (textOf(said.type).startsWith('system_'))
      yield problem('it is no message of anyone, such as that someone joined', place);
    else if (post) yield post;
    else yield problem('a message has no author or no time', place);
    let count = 0;
    for (const reply of objectsIn(said.replies)) {
      const answer = this.message(reply, `${number}.${++count}`, channel);
      if (answer) yield { ...answer, root: number };
      else yield problem('a message has no author or no time', place);
    }
  }

  private message(said: Json, key: string, channel: string): ForeignMessage | null {
    const author = idOf(said.user);
    const at = numberOf(said.create_at);
    if (author === '' || at === null) return null;
    const edited = numberOf(said.edit_at) ?? 0;
    return plainMessage({
      key,
      channel,
      author,
      text: textIn(said, channel),
      at,
      editedAt: edited > at ? edited : null,
      isPinned: said.is_pinned === true,
      files: objectsIn(said.attachments).map((file) => this.fileOf(file)),
      reactions: reactionsIn(said.reactions),
    });
  }

  private fileOf(said: Json): ForeignFile {
    const path = textOf(said.path);
    return {
      name: path.slice(path.lastIndexOf('/') + 1) || 'file',
      path: this.pathOf(path),
      url: '',
      isSpoiler: false,
    };
  }

  /** Where a file is: paths begin in the folder `data` of the archive. */
  private pathOf(value: unknown): string | null {
    const path = textOf(value)
      .replaceAll('\\', '/')
      .replace(/^\.?\/+/, '');
    const places = [`${this.root}data/${path}`, `${this.root}${path}`];
    return (path && places.find((name) => this.archive.has(name))) || null;
  }
}

function* channelOf(said: Json, place: string): Generator<ForeignRecord> {
  const name = idOf(said.name);
  if (name === '' || idOf(said.team) === '') {
    yield problem('a channel has no name or no team', place);
    return;
  }
  const type = textOf(said.type);
  yield {
    kind: 'channel',
    key: `${idOf(said.team)}/${name}`,
    name: firstOf(said.display_name, name),
    description: withEmoji(firstOf(said.header, said.purpose)),
    access: type === 'O' ? 'open' : type === 'P' ? 'private' : 'unknown',
    isArchived: (numberOf(said.deleted_at) ?? numberOf(said.delete_at) ?? 0) > 0,
    createdAt: null,
  };
}

function* botOf(said: Json, place: string): Generator<ForeignRecord> {
  const username = idOf(said.username);
  if (username === '') yield problem('someone has no username', place);
  else {
    const displayName = firstOf(said.display_name, username);
    yield { kind: 'person', key: username, username, displayName, email: null, isBot: true, isGone: true };
  }
}

function textIn(said: Json, channel: string): string {
  const text = textOf(said.message);
  const { attachments } = objectOf(typeof said.props === 'string' ? undefined : said.props);
  const shown = text === '' && attachments ? clean(slackHook.read({ body: { attachments }, headers: {} }).text) : text;
  const team = channel.slice(0, channel.indexOf('/'));
  const parts = shown.split(/(```[\s\S]*?```|`[^`\n]+`)/);
  return withEmoji(parts.map((part, index) => (index % 2 === 1 ? part : named(part, team))).join(''));
}

/** Who and what a text names, as marks. Whether someone has the name is known once all were read. */
function named(text: string, team: string): string {
  return text
    .replace(/(?<![\w@.])@([a-z\d][a-z\d._-]*[a-z\d_-]|[a-z\d])/gi, (whole, name: string) =>
      /^(all|channel|here)$/i.test(name) ? whole : personMark(name.toLowerCase(), name),
    )
    .replace(/(?<![\w~])~([a-z\d][a-z\d_-]+)(?!~)/g, (_, name: string) => channelMark(`${team}/${name}`, name));
}

function reactionsIn(value: unknown): ForeignReaction[] {
  const byEmoji = new Map<string, string[]>();
  for (const { user, emoji_name: name } of objectsIn(value)) {
    const emoji = reactionOf(textOf(name));
    if (emoji && idOf(user) !== '') byEmoji.set(emoji, [...(byEmoji.get(emoji) ?? []), idOf(user)]);
  }
  return [...byEmoji].map(([emoji, people]) => ({ emoji, people, nameless: 0 }));
}
