import { z } from 'zod';
import { maxAttachments } from '../../contract/attachment.ts';
import { maxPins } from '../../contract/message.ts';
import { keptEmojiSchema, maxEmoji, maxEmojiEach } from '../../contract/reaction.ts';
import { needsThumbnail } from '../../features/media/thumbnail.work.ts';
import { contentsOf, type Named, peopleIn } from './content.ts';
import { type Files, nameInstead, type StoredFile } from './files.ts';
import { idIn } from './ids.ts';
import type { AttachmentInsert, MessageInsert, ReactionInsert } from './messages.table.ts';
import type { OwnEmoji } from './own-emoji.ts';
import type { Known } from './people.table.ts';
import type { Present, StagedMessage, StagedRecord } from './staging.table.ts';
import type { Work } from './work.ts';

const messageSchema = z.object({
  author: z.string(),
  text: z.string(),
  editedAt: z.number().nullable(),
  root: z.string().nullable(),
  replyTo: z.string().nullable(),
  isPinned: z.boolean(),
  files: z.array(z.object({ name: z.string(), path: z.string().nullable(), url: z.string(), isSpoiler: z.boolean() })),
  reactions: z.array(z.object({ emoji: z.string(), people: z.array(z.string()) })),
});

type Said = z.output<typeof messageSchema>;

/** A message as it was read, and its files, which are stored by then. */
interface Ready extends Said {
  key: string;
  at: number;
  stored: StoredFile[];
}

/** Parses messages, and stores their files: that takes long, and so comes before any transaction. */
export async function readyOf(work: Work, files: Files, staged: StagedMessage[]): Promise<Ready[]> {
  const ready: Ready[] = [];
  for (const { key, at, data } of staged) {
    const said = messageSchema.parse(data);
    const stored: StoredFile[] = [];
    const missing: string[] = [];
    for (const file of said.files) {
      const found = await files.store(work, file);
      if (found) stored.push(found);
      else missing.push(nameInstead(file));
    }
    const text = [said.text, ...missing].filter((part) => part !== '').join('\n');
    ready.push({ ...said, text, key, at, stored });
  }
  return ready;
}

/** The keys of all people whom messages are of, or name. */
export function peopleOf(messages: Ready[]): string[] {
  const all = messages.flatMap(({ author, text, reactions }) => [
    author,
    ...peopleIn(text),
    ...reactions.flatMap(({ people }) => people),
  ]);
  return [...new Set(all)];
}

/** The keys of the messages that messages refer to. */
export const referredTo = (messages: Ready[]): string[] => [
  ...new Set(messages.flatMap(({ root, replyTo }) => [root, replyTo].filter((key) => key !== null))),
];

/** Where a batch goes, and what it may refer to. */
interface Place extends Named {
  work: Work;
  /** The channel by its key, and its id. */
  channel: string;
  channelId: string;
  present: ReadonlyMap<string, Present>;
  emoji: OwnEmoji;
  seq: number;
  pins: number;
}

/** The rows of some messages of a channel, numbered on from the last. */
export class Batch {
  readonly messages: MessageInsert[] = [];
  readonly reactions: ReactionInsert[] = [];
  readonly attachments: AttachmentInsert[] = [];
  readonly pictures: string[] = [];
  readonly threads = new Map<string, StagedRecord>();
  private readonly place: Place;
  private seq: number;
  private pins: number;

  constructor(place: Place) {
    this.place = place;
    this.seq = place.seq;
    this.pins = place.pins;
  }

  get lastSeq(): number {
    return this.seq;
  }

  add(said: Ready): void {
    const author = this.place.people.get(said.author);
    if (!author) throw new Error(`The author of ${said.key} has no account.`);
    const contents = contentsOf(said.text, this.place);
    const count = Math.max(contents.length, Math.ceil(said.stored.length / maxAttachments));
    if (contents[0]?.content === '' && said.stored.length === 0) {
      this.place.work.report.problem('a message says nothing that can be shown', said.key);
      // Others may refer to it.
      contents[0].content = '…';
    }
    for (let part = 0; part < count; part++) {
      const row = this.row(said, author, part, contents[part] ?? { content: '', mentions: [] });
      this.messages.push(row);
      const files = said.stored.slice(part * maxAttachments, (part + 1) * maxAttachments);
      this.attach(row, files, part * maxAttachments);
    }
    const [first] = this.messages.slice(-count);
    if (first) this.react(first.id, said);
  }

  private idOf(key: string, at: number): string {
    return idIn(this.place.work.id, 'message', key, at);
  }

  private row(
    said: Ready,
    author: Known,
    part: number,
    { content, mentions }: { content: string; mentions: object[] },
  ): MessageInsert {
    const { work, channelId } = this.place;
    const sent = new Date(said.at).toISOString();
    const edited = said.editedAt !== null && said.editedAt > said.at ? said.editedAt : null;
    return {
      id: this.idOf(part === 0 ? said.key : `${said.key}\n${part}`, said.at),
      channel_id: channelId,
      seq: ++this.seq,
      author_id: author.id,
      content,
      thread_id: this.threadOf(said),
      reply_to_id: part === 0 ? this.replyOf(said) : null,
      metadata: { importedFrom: work.product },
      mentions,
      is_edited: edited !== null,
      pinned_at: part === 0 && this.pin(said) ? sent : null,
      created_at: sent,
      updated_at: edited === null ? sent : timeOf(edited, said.at),
    };
  }

  private threadOf({ root }: Ready): string | null {
    const { work, channel, present } = this.place;
    const found = root === null ? undefined : present.get(root);
    if (root === null || !found?.isRoot) return null;
    this.threads.set(root, { kind: 'thread', key: root, channel, at: 0, place: 0, data: { name: null } });
    return idIn(work.id, 'thread', root, found.at);
  }

  private replyOf({ replyTo, key }: Ready): string | null {
    if (replyTo === null) return null;
    const found = this.place.present.get(replyTo);
    if (found) return this.idOf(replyTo, found.at);
    this.place.work.report.problem('what a message answers is not there', key);
    return null;
  }

  private pin({ isPinned, key }: Ready): boolean {
    if (!isPinned) return false;
    if (this.pins < maxPins) return ++this.pins > 0;
    this.place.work.report.problem(`a message was not pinned: a channel has at most ${maxPins} pins`, key);
    return false;
  }

  private attach(row: MessageInsert, files: StoredFile[], from: number): void {
    for (const [at, file] of files.entries()) {
      const { blobId, contentType, isSpoiler, ...rest } = file;
      this.attachments.push({
        ...rest,
        id: idIn(this.place.work.id, 'file', `${row.id}\n${from + at}`, Date.parse(row.created_at)),
        uploader_id: row.author_id,
        message_id: row.id,
        place: at,
        blob_id: blobId,
        content_type: contentType,
        is_spoiler: isSpoiler,
        created_at: row.created_at,
      });
      if (needsThumbnail(file)) this.pictures.push(blobId);
    }
  }

  private react(messageId: string, { reactions, key }: Ready): void {
    const { people, emoji: own, work } = this.place;
    const each = new Map<string, number>();
    const kinds = new Set<string>();
    let place = 0;
    for (const { emoji, people: keys } of reactions) {
      const isFit = keptEmojiSchema.safeParse(emoji).success && (kinds.has(emoji) || kinds.size < maxEmoji);
      if (!isFit) work.report.problem('a reaction is no emoji, or one too many', key);
      if (!isFit) continue;
      kinds.add(emoji);
      for (const person of new Set(keys)) {
        const account = people.get(person);
        const count = (each.get(person) ?? 0) + 1;
        if (!account || count > maxEmojiEach) continue;
        each.set(person, count);
        const emojiId = own.get(emoji.slice(1, -1)) ?? null;
        this.reactions.push({ message_id: messageId, emoji, user_id: account.id, place: ++place, emoji_id: emojiId });
      }
    }
  }
}

/** A time of an export, which may be any number. */
function timeOf(ms: number, otherwise: number): string {
  const time = new Date(ms < 8.64e15 ? ms : otherwise);
  return time.toISOString();
}
