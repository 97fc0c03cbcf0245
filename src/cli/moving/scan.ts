import type { Rows } from '../../database/database.ts';
import { clock } from '../../infrastructure/clock.ts';
import type { Archive } from './archive.ts';
import type { Choices, Product } from './choices.ts';
import type { ForeignChannel, ForeignMessage, ForeignReaction, ForeignRecord } from './foreign.ts';
import { readDiscord } from './products/discord.ts';
import { readMattermost } from './products/mattermost.ts';
import { readRocketChat } from './products/rocketchat.ts';
import { readSlack } from './products/slack.ts';
import type { Progress } from './progress.ts';
import type { Report } from './report.ts';
import { addUnknownAuthors, orphansOf, type StagedRecord, stage, threadsOf } from './staging.table.ts';

const readers: Record<Product, (archive: Archive) => AsyncGenerator<ForeignRecord>> = {
  slack: readSlack,
  mattermost: readMattermost,
  discord: readDiscord,
  rocketchat: readRocketChat,
};

const batch = { records: 500, characters: 1024 * 1024 };
const dayMs = 24 * 60 * 60 * 1000;
/** Reactions of one message that are taken; a hostile export could have millions. */
const maxReactions = 5000;
const maxFiles = 100;
/** The text of one message that is kept; longer ones are cut. */
const maxText = 200_000;

/** The first pass: reads an export from beginning to end, and keeps what is to be written in the database, sorted there. */
export class Scan {
  private readonly rows: Rows;
  private readonly importId: string;
  private readonly choices: Choices;
  private readonly report: Report;
  private readonly maxChannels: number;
  /** Whether the messages of a channel are taken, by its key. */
  private readonly channels = new Map<string, boolean>();
  private taken = 0;
  private waiting: StagedRecord[] = [];
  private characters = 0;
  private place = 0;

  /** @param maxChannels how many channels may come in */
  constructor(rows: Rows, importId: string, choices: Choices, report: Report, maxChannels: number) {
    this.rows = rows;
    this.importId = importId;
    this.choices = choices;
    this.report = report;
    this.maxChannels = maxChannels;
  }

  async run(product: Product, archive: Archive, progress: Progress): Promise<void> {
    for await (const record of readers[product](archive)) {
      this.take(record);
      const { records, characters } = batch;
      if (this.waiting.length >= records || this.characters >= characters) {
        await this.write();
        progress.at('Reading: messages', this.report.counts.messages ?? 0, null);
      }
    }
    await this.write();
    const unknown = await addUnknownAuthors(this.rows, this.importId);
    this.report.count('people', unknown.length);
    this.report.problem('of an author nothing but an id is known', unknown[0] ?? '', unknown.length);
    const orphans = await orphansOf(this.rows, this.importId);
    this.report.problem(
      'the first message of a thread is not there: its replies stand in the channel',
      orphans.example,
      orphans.count,
    );
    this.report.count('threads', await threadsOf(this.rows, this.importId));
  }

  private take(record: ForeignRecord): void {
    if (record.kind === 'problem') this.report.problem(record.what, record.place);
    else if (record.kind === 'person') this.keep('person', record.key, null, 0, without(record));
    else if (record.kind === 'channel') this.channel(record);
    else if (record.kind === 'emoji') this.keep('emoji', record.name, null, 0, { file: record.file });
    else if (record.kind === 'message') this.message(record);
    else if (this.channels.get(record.channel)) {
      const key = record.kind === 'thread' ? record.root : `${record.channel}\n${record.person}`;
      this.keep(
        record.kind,
        key,
        record.channel,
        0,
        record.kind === 'thread' ? { name: record.name } : { person: record.person },
      );
    }
  }

  private channel(record: ForeignChannel): void {
    if (this.channels.has(record.key)) {
      this.report.problem('a channel is there twice', record.key);
      return;
    }
    const { access } = record;
    const isChosen = access === 'open' || access === 'unknown' || (access === 'private' && this.choices.private);
    const fits = this.taken < this.maxChannels;
    this.channels.set(record.key, isChosen && fits);
    if (access === 'direct') this.report.problem('a direct conversation was left out', record.key);
    else if (!isChosen) this.report.problem('a private channel was left out; take it with --private', record.name);
    else if (!fits) this.report.problem('a channel was left out: a server has no room for more', record.name);
    else {
      this.taken++;
      const isPrivate = access === 'private' || (access === 'unknown' && !this.choices.open);
      if (access === 'unknown' && isPrivate) {
        this.report.problem(
          'nobody says who could read a channel: it is private here; open them with --open',
          record.name,
        );
      }
      this.keep('channel', record.key, null, 0, { ...without(record), isPrivate });
    }
  }

  private message(record: ForeignMessage): void {
    const isTaken = this.channels.get(record.channel);
    if (isTaken === undefined) this.report.problem('a message is in no channel of the export', record.key);
    if (!isTaken) return;
    if (record.at < 0 || record.at > clock.now() + dayMs) {
      this.report.problem('a message has no time between 1970 and now', record.key);
      return;
    }
    const { reactions, files, text } = record;
    if (text.length > maxText) this.report.problem('a text was cut', record.key);
    const nameless = reactions.reduce((sum, reaction) => sum + reaction.nameless, 0);
    this.report.problem('the export does not say who reacted', record.key, nameless);
    const missing = files.filter(({ path }) => path === null);
    this.report.problem('a file is not in the archive: its message names it', record.key, missing.length);
    const kept = {
      ...without(record),
      text: text.slice(0, maxText).toWellFormed(),
      files: files.slice(0, maxFiles),
      reactions: capped(reactions),
    };
    this.keep('message', record.key, record.channel, record.at, kept);
  }

  private keep(kind: string, key: string, channel: string | null, at: number, data: object): void {
    const record = { kind, key, channel, at, place: ++this.place, data };
    this.waiting.push(record);
    this.characters += 200 + ('text' in data ? String(data.text).length : 0);
  }

  private async write(): Promise<void> {
    const { waiting } = this;
    this.waiting = [];
    this.characters = 0;
    if (waiting.length === 0) return;
    const isNew = new Set((await stage(this.rows, this.importId, waiting)).map(({ kind, key }) => `${kind}\n${key}`));
    for (const { kind, key, data } of waiting) {
      // Of two in one batch the first is written.
      const counts = isNew.delete(`${kind}\n${key}`);
      if (counts) this.countIn(kind, data);
      else if (kind === 'message' && !('isSubstitute' in data)) this.report.problem('a message is there twice', key);
    }
  }

  private countIn(kind: string, data: object): void {
    const names: Record<string, string> = {
      person: 'people',
      channel: 'channels',
      message: 'messages',
      emoji: 'emoji',
    };
    const name = names[kind];
    if (name) this.report.count(name);
    if ('files' in data && Array.isArray(data.files)) {
      this.report.count('files', data.files.filter(({ path }) => path !== null).length);
    }
    if ('reactions' in data && Array.isArray(data.reactions)) {
      this.report.count(
        'reactions',
        data.reactions.reduce((sum, { people }) => sum + people.length, 0),
      );
    }
    if ('email' in data && data.email === null && 'isBot' in data && data.isBot === false) {
      this.report.problem('someone has no address: their account can be claimed by an operator alone', '');
    }
  }
}

/** The first reactions, whoever had them. */
function capped(reactions: ForeignReaction[]): { emoji: string; people: string[] }[] {
  let left = maxReactions;
  return reactions.flatMap(({ emoji, people }) => {
    const some = people.slice(0, left);
    left -= some.length;
    return some.length > 0 ? [{ emoji, people: some }] : [];
  });
}

/** A record without what its row has. */
function without<R extends { kind: string; key: string }>({
  kind: _kind,
  key: _key,
  ...rest
}: R): Omit<R, 'kind' | 'key'> {
  return rest;
}
