import { type Json, objectsIn } from '../../../features/hooks/formats/json.ts';
import { lines, quoted } from '../../../features/hooks/formats/marks.ts';
import { TransferError } from '../../transfer/failure.ts';
import type { Archive } from '../archive.ts';
import { ownName, reactionOf, withEmoji } from '../emoji.ts';
import {
  type ForeignFile,
  type ForeignPerson,
  type ForeignReaction,
  type ForeignRecord,
  plainMessage,
  problem,
} from '../foreign.ts';
import { channelMark, personMark } from '../marks.ts';
import { firstOf, idOf, Met, objectOf, textOf } from '../said.ts';
import { recordsOf } from './items.ts';

/** Collections by the names that `mongoexport` and the guides for it give their files. */
const collections = {
  users: /^(rocketchat_)?users?\.jsonl?$/i,
  rooms: /^(rocketchat_)?rooms?\.jsonl?$/i,
  subscriptions: /^(rocketchat_)?subscriptions?\.jsonl?$/i,
  messages: /^(rocketchat_)?messages?\.jsonl?$/i,
  emoji: /^(rocketchat_)?custom_emojis?\.jsonl?$/i,
};

/** Collections of Rocket.Chat as `mongoexport` writes them, with the uploads as files. @throws TransferError */
export async function* readRocketChat(archive: Archive): AsyncGenerator<ForeignRecord> {
  const filesOf = (name: keyof typeof collections) =>
    archive.names.filter((path) => collections[name].test(path.slice(path.lastIndexOf('/') + 1)));
  if (filesOf('rooms').length === 0 || filesOf('messages').length === 0) {
    throw new TransferError(
      'It is no export of Rocket.Chat: it needs rocketchat_room.json and rocketchat_message.json.',
    );
  }
  const reader = new Reader(archive);
  const order = [
    ['users', (said: Json, place: string) => reader.user(said, place)],
    ['rooms', (said: Json, place: string) => reader.room(said, place)],
    ['subscriptions', (said: Json) => reader.subscription(said)],
    ['emoji', (said: Json, place: string) => reader.emoji(said, place)],
    ['messages', (said: Json, place: string) => reader.message(said, place)],
  ] as const;
  for (const [name, take] of order) {
    for (const file of filesOf(name)) {
      for await (const item of recordsOf(archive, file)) {
        if ('value' in item) yield* take(objectOf(item.value), item.place);
        else yield item;
      }
    }
  }
}

class Reader {
  private readonly met = new Met();
  /** Files that are no collection, by their names and those of their folders, without endings: uploads are kept by their id. */
  private readonly byId = new Map<string, string>();

  constructor(archive: Archive) {
    for (const path of archive.names) {
      const [base = '', folder] = path.split('/').reverse();
      if (Object.values(collections).some((form) => form.test(base))) continue;
      this.byId.set(base.replace(/\.[^.]*$/, ''), path);
      if (folder && !this.byId.has(folder)) this.byId.set(folder, path);
    }
  }

  *user(said: Json, place: string): Generator<ForeignRecord> {
    // Messages name their authors, and reactions those who reacted, by username.
    const key = idOf(said.username);
    if (key === '') {
      yield problem('someone has no username', place);
      return;
    }
    const isBot = said.type === 'bot' || said.type === 'app';
    const [address = {}] = objectsIn(said.emails);
    const known = { key, username: key, displayName: firstOf(said.name, key), email: textOf(address.address) || null };
    this.met.add(key);
    yield { kind: 'person', ...known, isBot, isGone: said.active === false };
  }

  *room(said: Json, place: string): Generator<ForeignRecord> {
    const [key, type] = [idOf(said._id), textOf(said.t)];
    if (key === '') {
      yield problem('a room has no id', place);
      return;
    }
    yield {
      kind: 'channel',
      key,
      name: firstOf(said.fname, said.name, key),
      description: withEmoji(firstOf(said.topic, said.description)),
      access: type === 'c' ? 'open' : type === 'p' ? 'private' : 'direct',
      isArchived: said.archived === true,
      createdAt: timeOf(said.ts),
    };
  }

  *subscription(said: Json): Generator<ForeignRecord> {
    const [channel, person] = [idOf(said.rid), idOf(objectOf(said.u).username)];
    if (channel !== '' && person !== '') yield { kind: 'membership', channel, person };
  }

  *emoji(said: Json, place: string): Generator<ForeignRecord> {
    const name = ownName(textOf(said.name));
    const path = this.byId.get(textOf(said.name));
    if (name && path) yield { kind: 'emoji', name, file: path };
    else yield problem('the picture of an emoji is not in the archive', place);
  }

  *message(said: Json, place: string): Generator<ForeignRecord> {
    const type = textOf(said.t);
    if (type !== '' && type !== 'e2e') {
      yield problem('it is no message of anyone, such as that someone joined', place);
      return;
    }
    const [key, channel, at, user] = [idOf(said._id), idOf(said.rid), timeOf(said.ts), objectOf(said.u)];
    const author = idOf(user.username);
    if (key === '' || channel === '' || at === null || author === '') {
      yield problem('a message has no id, no room, no author or no time', place);
      return;
    }
    if (type === 'e2e') {
      yield problem('a message is encrypted from end to end', place);
      return;
    }
    if (this.met.add(author)) yield unlisted(author, user);
    const { replyTo, text } = quotedIn(textOf(said.msg));
    const root = idOf(said.tmid);
    yield plainMessage({
      key,
      channel,
      author,
      text: lines(rocketText(text, said), attachmentsAsText(said.attachments)),
      at,
      editedAt: timeOf(said.editedAt),
      root: root === '' ? null : root,
      replyTo,
      isPinned: said.pinned === true,
      files: this.filesOf(said),
      reactions: reactionsIn(said.reactions),
    });
  }

  private filesOf(said: Json): ForeignFile[] {
    const all = Array.isArray(said.files) ? objectsIn(said.files) : objectsIn([said.file]);
    // Smaller forms of pictures are among them.
    return all
      .filter(({ name }) => !textOf(name).startsWith('thumb-'))
      .map((file) => ({
        name: firstOf(file.name, 'file'),
        path: this.byId.get(idOf(file._id)) ?? null,
        url: '',
        isSpoiler: false,
      }));
  }
}

/** Someone whom the list of users does not have any more. */
function unlisted(key: string, user: Json): ForeignPerson {
  const displayName = firstOf(user.name, key);
  return { kind: 'person', key, username: key, displayName, email: null, isBot: false, isGone: true };
}

/** A reply begins with a link to what it answers, which shows nothing. */
function quotedIn(text: string): { replyTo: string | null; text: string } {
  const [whole = '', id = null] = /^\[ ?\]\(https?:\/\/[^\s()]+[?&]msg=([\w-]+)\)\s*/.exec(text) ?? [];
  return { replyTo: id, text: text.slice(whole.length) };
}

/** Rocket.Chat's marks, which are those of Slack or ours, as our Markdown. What is code stays. */
function rocketText(text: string, said: Json): string {
  const people = new Set(objectsIn(said.mentions).map(({ username }) => textOf(username)));
  const rooms = new Map(objectsIn(said.channels).map(({ name, _id: id }) => [textOf(name), idOf(id)]));
  const parts = text.split(/(```[\s\S]*?```|`[^`\n]+`)/);
  const translated = parts.map((part, index) =>
    index % 2 === 1
      ? part
      : part
          .replace(/(^|[\s(>_~])\*(?=[^\s*])([^*\n]*[^*\s])\*(?=$|[\s).,:;!?<_~])/g, '$1**$2**')
          .replace(/(^|[\s(>_*])~(?=[^\s~])([^~\n]*[^~\s])~(?=$|[\s).,:;!?<_*])/g, '$1~~$2~~')
          .replace(/(?<![\w@])@([\w.-]*[\w-])/g, (whole, name: string) =>
            people.has(name) && !/^(all|here)$/.test(name) ? personMark(name, name) : whole,
          )
          .replace(/(?<![\w#])#([\w.-]*[\w-])/g, (whole, name: string) =>
            rooms.has(name) ? channelMark(rooms.get(name) ?? '', name) : whole,
          ),
  );
  return withEmoji(translated.join(''));
}

/** What integrations show in boxes, and how people describe their files; what quotes another message is left out. */
function attachmentsAsText(value: unknown): string[] {
  return objectsIn(value).flatMap((attachment) => {
    if (attachment.message_link !== undefined) return [];
    const description = textOf(attachment.description);
    if (attachment.type === 'file' || attachment.image_url !== undefined)
      return description === '' ? [] : [description];
    const title = textOf(attachment.title);
    const inside = lines(title && `**${title}**`, textOf(attachment.text), description);
    return inside === '' ? [] : [quoted(withEmoji(inside))];
  });
}

function reactionsIn(value: unknown): ForeignReaction[] {
  return Object.entries(objectOf(value)).flatMap(([name, who]) => {
    const emoji = reactionOf(name.replace(/^:|:$/g, ''));
    const { usernames } = objectOf(who);
    const people = (Array.isArray(usernames) ? usernames : []).map(idOf).filter((person) => person !== '');
    return emoji ? [{ emoji, people, nameless: 0 }] : [];
  });
}

/** A time in MongoDB's extended JSON, or as a text or number; null: it is none. */
function timeOf(value: unknown): number | null {
  const date = typeof value === 'object' && value !== null ? objectOf(value).$date : value;
  const said = typeof date === 'object' && date !== null ? Number(objectOf(date).$numberLong) : date;
  const time = typeof said === 'string' ? Date.parse(said) : typeof said === 'number' ? said : Number.NaN;
  return Number.isNaN(time) ? null : time;
}
