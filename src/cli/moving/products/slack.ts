import { isJson, type Json, objectsIn } from '../../../features/hooks/formats/json.ts';
import { slack as slackHook } from '../../../features/hooks/formats/slack.ts';
import { fromMrkdwn } from '../../../features/hooks/formats/slack-text.ts';
import { TransferError } from '../../transfer/failure.ts';
import { type Archive, rootOf, under } from '../archive.ts';
import { reactionOf, withEmoji } from '../emoji.ts';
import {
  type ForeignAccess,
  type ForeignChannel,
  type ForeignFile,
  type ForeignPerson,
  type ForeignReaction,
  type ForeignRecord,
  plainMessage,
  problem,
} from '../foreign.ts';
import { channelMark, clean, personMark } from '../marks.ts';
import { firstOf, idOf, Met, numberOf, objectOf, textOf } from '../said.ts';
import { itemsOf } from './items.ts';

/** Lists of conversations, and who could read those. */
const lists: [file: string, access: ForeignAccess][] = [
  ['channels.json', 'open'],
  ['groups.json', 'private'],
  ['mpims.json', 'direct'],
  ['dms.json', 'direct'],
];
/** What people wrote, or did that others were shown as a message. */
const written = new Set([
  '',
  'me_message',
  'bot_message',
  'thread_broadcast',
  'file_share',
  'file_comment',
  'reply_broadcast',
]);

interface Conversation {
  channel: ForeignChannel;
  folder: string;
  pins: Set<string>;
}

/** An export of Slack: `channels.json` and others, and a folder of days for each conversation. @throws TransferError */
export async function* readSlack(archive: Archive): AsyncGenerator<ForeignRecord> {
  const root = rootOf(archive, (name) => name === 'channels.json') ?? rootOf(archive, (name) => name === 'users.json');
  if (root === undefined) throw new TransferError('It is no export of Slack: there is no channels.json in it.');
  for (const file of ['users.json', 'org_users.json']) {
    if (archive.has(root + file)) yield* peopleIn(archive, root + file);
  }
  const talk = new Talk(archive, root);
  for (const [file, access] of lists) {
    if (!archive.has(root + file)) continue;
    for await (const item of itemsOf(archive, root + file)) {
      if (!('value' in item)) yield item;
      else yield* talk.conversation(objectOf(item.value), access, item.place);
    }
  }
  yield* talk.messages();
}

async function* peopleIn(archive: Archive, file: string): AsyncGenerator<ForeignRecord> {
  for await (const item of itemsOf(archive, file)) {
    if (!('value' in item)) {
      yield item;
      continue;
    }
    const user = objectOf(item.value);
    const person = personOf(idOf(user.id), user, objectOf(user.profile));
    if (person) yield person;
    else yield problem('someone has no id', item.place);
  }
}

function personOf(key: string, user: Json, profile: Json): ForeignPerson | null {
  if (key === '') return null;
  const username = firstOf(user.name, profile.name, profile.display_name, key);
  return {
    kind: 'person',
    key,
    username,
    displayName: firstOf(profile.display_name, profile.real_name, user.real_name, username),
    email: textOf(profile.email) || null,
    isBot: user.is_bot === true || key === 'USLACKBOT',
    isGone: user.deleted === true,
  };
}

class Talk {
  private readonly archive: Archive;
  private readonly root: string;
  private readonly conversations: Conversation[] = [];
  private readonly met = new Met();

  constructor(archive: Archive, root: string) {
    this.archive = archive;
    this.root = root;
  }

  *conversation(said: Json, access: ForeignAccess, place: string): Generator<ForeignRecord> {
    const key = idOf(said.id);
    const name = firstOf(said.name, said.id);
    if (key === '') {
      yield problem('a conversation has no id', place);
      return;
    }
    const created = numberOf(said.created);
    const description = firstOf(objectOf(said.topic).value, objectOf(said.purpose).value);
    const channel: ForeignChannel = {
      kind: 'channel',
      key,
      name,
      description: withEmoji(fromMrkdwn(description)),
      access,
      isArchived: said.is_archived === true,
      createdAt: created === null ? null : created * 1000,
    };
    yield channel;
    if (access === 'direct') return;
    for (const member of Array.isArray(said.members) ? said.members : []) {
      if (idOf(member) !== '') yield { kind: 'membership', channel: key, person: idOf(member) };
    }
    const pins = new Set(objectsIn(said.pins).map(({ id }) => idOf(id)));
    this.conversations.push({ channel, folder: `${this.root}${name}/`, pins });
  }

  async *messages(): AsyncGenerator<ForeignRecord> {
    for (const conversation of this.conversations) {
      for (const file of under(this.archive, conversation.folder)) {
        if (!file.endsWith('.json')) continue;
        for await (const item of itemsOf(this.archive, file)) {
          if ('value' in item) yield* this.message(conversation, objectOf(item.value), item.place);
          else yield item;
        }
      }
    }
  }

  private *message(within: Conversation, said: Json, place: string): Generator<ForeignRecord> {
    if (textOf(said.type) !== 'message' || !written.has(textOf(said.subtype)) || said.hidden === true) {
      yield problem('it is no message of anyone, such as that someone joined', place);
      return;
    }
    const ts = idOf(said.ts);
    const at = timeOf(ts);
    const author = this.authorOf(said);
    if (at === null || author === null) {
      yield problem(at === null ? 'a message has no time' : 'a message has no author', place);
      return;
    }
    if (author.kind === 'person' && this.met.add(author.key)) yield author;
    const { key } = within.channel;
    const threadTs = idOf(said.thread_ts);
    yield plainMessage({
      key: `${key}/${ts}`,
      channel: key,
      author: author.key,
      text: textIn(said),
      at,
      editedAt: timeOf(idOf(objectOf(said.edited).ts)),
      root: threadTs !== '' && threadTs !== ts ? `${key}/${threadTs}` : null,
      isPinned: within.pins.has(ts) || (Array.isArray(said.pinned_to) && said.pinned_to.includes(key)),
      files: [...objectsIn(said.files), ...objectsIn([said.file])].map((file) => this.fileOf(file)),
      reactions: objectsIn(said.reactions).flatMap(reactionsOf),
    });
  }

  /** The person, or a bot or someone of another workspace of whom the message alone tells. */
  private authorOf(said: Json): ForeignPerson | { kind: 'known'; key: string } | null {
    const user = idOf(said.user);
    const profile = objectOf(said.user_profile);
    if (user !== '') {
      // Whoever is in no list is of another workspace.
      const person = isJson(said.user_profile) ? personOf(user, profile, profile) : null;
      return person ? { ...person, isGone: true } : { kind: 'known', key: user };
    }
    const bot = objectOf(said.bot_profile);
    const name = firstOf(said.username, bot.name, objectOf(said.comment).user);
    const key = firstOf(said.bot_id, name);
    if (key === '') return null;
    const shown = name || key;
    return {
      kind: 'person',
      key: `bot:${key}`,
      username: shown,
      displayName: shown,
      email: null,
      isBot: true,
      isGone: true,
    };
  }

  /** Exports have no files; `slack-advanced-exporter` and others add them as `__uploads/<id>/<name>`. */
  private fileOf(said: Json): ForeignFile {
    const id = idOf(said.id);
    const [path = null] = id === '' ? [] : under(this.archive, `${this.root}__uploads/${id}/`);
    return {
      name: firstOf(said.name, said.title, 'file'),
      path,
      url: firstOf(said.permalink, said.url_private),
      isSpoiler: false,
    };
  }
}

/** `1512085950.000216` in milliseconds; null: it is no time. */
const timeOf = (ts: string): number | null => (/^\d{9,11}(\.\d+)?$/.test(ts) ? Math.floor(Number(ts) * 1000) : null);

function textIn(said: Json): string {
  const text = textOf(said.text);
  const isBots = textOf(said.subtype) === 'bot_message' || said.bot_id !== undefined;
  // Of people the text is what they wrote; blocks repeat it, and attachments are previews of links.
  if (isBots && text === '') {
    const body = { text: '', blocks: said.blocks ?? [], attachments: said.attachments ?? [] };
    return withEmoji(clean(slackHook.read({ body, headers: {} }).text));
  }
  const shown = withEmoji(fromMrkdwn(named(text)));
  return textOf(said.subtype) === 'me_message' && shown !== '' ? `_${shown}_` : shown;
}

/** Who and what a text names, as marks. */
function named(text: string): string {
  return text
    .replace(/<@([UW][A-Z0-9]+)(?:\|([^<>]*))?>/g, (_, id: string, shown = '') => personMark(id, shown || id))
    .replace(/<#([CG][A-Z0-9]+)(?:\|([^<>]*))?>/g, (_, id: string, shown = '') => channelMark(id, shown || id));
}

function reactionsOf(said: Json): ForeignReaction[] {
  const emoji = reactionOf(textOf(said.name));
  if (emoji === null) return [];
  const people = (Array.isArray(said.users) ? said.users : []).map(idOf).filter((id) => id !== '');
  return [{ emoji, people, nameless: Math.max(0, (numberOf(said.count) ?? 0) - people.length) }];
}
