import { z } from 'zod';
import { cut } from '../../contract/quote.ts';
import { descriptionSchema, nameFrom } from '../../contract/schema.ts';
import type { Rows } from '../../database/database.ts';
import { titleOf } from '../../features/messages/thread.view.ts';
import { clock } from '../../infrastructure/clock.ts';
import { expireUnattended } from '../../jobs/retention.jobs.ts';
import { TransferError } from '../transfer/failure.ts';
import { writeCategories } from './categories.ts';
import { Files } from './files.ts';
import { idIn } from './ids.ts';
import {
  advanceChannel,
  channelNames,
  type ImportChannelRow,
  importChannels,
  insertImportChannels,
  setChannelState,
} from './imports.table.ts';
import { Batch, peopleOf, readyOf, referredTo } from './message-batch.ts';
import {
  countThreads,
  insertAttachmentRows,
  insertChannelRow,
  insertMessageRows,
  insertReactionRows,
  insertThreadRows,
  letPeopleIn,
  pinsOf,
  readByAll,
  textsOf,
} from './messages.table.ts';
import type { OwnEmoji } from './own-emoji.ts';
import { accountsOf } from './people.table.ts';
import { nextMessages, presentAmong, stage, stagedMembers, stagedOf, stagedThreads } from './staging.table.ts';
import type { Work } from './work.ts';

/** Messages of one transaction: they are held at once, with all that they say. */
const atOnce = 100;
const maxName = 100;

const channelSchema = z.object({
  name: z.string(),
  description: z.string(),
  isPrivate: z.boolean(),
  isArchived: z.boolean(),
  category: z.string().optional(),
  createdAt: z.number().nullable(),
});

type Channel = z.output<typeof channelSchema>;

const takenByOther = () => new TransferError('Another run imports the same now.');

/**
 * Writes the channels of an export, one after the other. A channel exists once all its messages do: until then nobody sees
 * them, so that they have numbers in the order in which they were sent, and nobody writes between them.
 */
export async function writeChannels(work: Work, emoji: OwnEmoji, total: number): Promise<void> {
  const said = await channelsOf(work);
  await plan(work, said);
  const grouped = [...said.values()].flatMap(({ category }) => (category === undefined ? [] : [category]));
  const categoryOf = await writeCategories(work, grouped);
  const planned = await importChannels(work.database.rows, work.id);
  // The name of a private channel is nobody's business outside.
  const open = planned.filter(({ key }) => said.get(key)?.isPrivate === false);
  const named = new Map(open.map(({ key, channelId, name }) => [key, { id: channelId, name }]));
  const files = new Files();
  let before = 0;
  for (const channel of planned) {
    const details = said.get(channel.key);
    if (!details) continue;
    let at = channel;
    if (channel.state === 'writing') {
      for (;;) {
        const next = await writeSome(work, at, { named, emoji, files });
        if (next.seq === at.seq) break;
        at = next;
        work.progress.at('Writing: messages', before + at.seq, total);
      }
      await finishChannel(work, at, details, categoryOf(details.category ?? null));
    }
    if (channel.state !== 'told') await tell(work, at, details.isArchived);
    before += at.seq;
  }
}

async function channelsOf(work: Work): Promise<Map<string, Channel>> {
  const all = new Map<string, Channel>();
  for await (const page of stagedOf(work.database.rows, work.id, 'channel')) {
    for (const { key, data } of page) all.set(key, channelSchema.parse(data));
  }
  return all;
}

/** Gives channels their ids, and names that no other channel of the server has. */
async function plan(work: Work, said: Map<string, Channel>): Promise<void> {
  const { rows } = work.database;
  const known = await importChannels(rows, work.id);
  const ours = new Set(known.map(({ key }) => key));
  const taken = new Set([...(await channelNames(rows, work.serverId)), ...known.map(({ name }) => name)]);
  const planned = [...said]
    .filter(([key]) => !ours.has(key))
    .map(([key, { name, createdAt }]) => {
      const base = nameFrom(name, maxName) || 'imported';
      let own = base;
      for (let number = 2; taken.has(own); number++) own = `${cut(base, maxName - 6)}-${number}`;
      if (own !== base) work.report.problem('a channel has another name: there is one with its own', `${base}: ${own}`);
      taken.add(own);
      return { key, id: idIn(work.id, 'channel', key, createdAt ?? 0), name: own };
    });
  await insertImportChannels(rows, work.id, planned);
}

/** What all channels of an import share. */
interface Surroundings {
  named: ReadonlyMap<string, { id: string; name: string }>;
  emoji: OwnEmoji;
  files: Files;
}

/** Writes the next messages of a channel in one transaction with the note of how far it is. @returns how far that is */
async function writeSome(
  work: Work,
  channel: ImportChannelRow,
  { named, emoji, files }: Surroundings,
): Promise<ImportChannelRow> {
  const { database, id } = work;
  const { rows } = database;
  const staged = await nextMessages(rows, id, channel.key, channel, atOnce);
  const last = staged.at(-1);
  if (!last) return channel;
  const ready = await readyOf(work, files, staged);
  const batch = new Batch({
    work,
    channel: channel.key,
    channelId: channel.channelId,
    people: await accountsOf(rows, id, peopleOf(ready)),
    channels: named,
    present: await presentAmong(rows, id, channel.key, referredTo(ready)),
    emoji,
    seq: channel.seq,
    pins: await pinsOf(rows, channel.channelId),
  });
  for (const message of ready) batch.add(message);
  const to = { at: last.at, place: last.place, seq: batch.lastSeq };
  await database.transaction(async ({ rows }) => {
    if (!(await advanceChannel(rows, id, channel, to))) throw takenByOther();
    await insertMessageRows(rows, batch.messages);
    await insertReactionRows(rows, batch.reactions);
    await insertAttachmentRows(rows, batch.attachments, batch.pictures);
    if (batch.threads.size > 0) await stage(rows, id, [...batch.threads.values()]);
  });
  return { ...channel, ...to };
}

/** Makes the channel that the messages are in. A thread, which refers to it, can be only then. */
async function finishChannel(
  work: Work,
  { key, channelId, name, seq }: ImportChannelRow,
  said: Channel,
  categoryId: string | null,
): Promise<void> {
  const { database, id, serverId } = work;
  const description = cut(said.description, 1000);
  const fits = descriptionSchema.safeParse(description).success && description !== '';
  const createdAt = said.createdAt !== null && said.createdAt > 0 ? Math.min(said.createdAt, clock.now()) : clock.now();
  await database.longTransaction(
    async (rows) => {
      if (!(await setChannelState(rows, id, key, 'writing', 'written'))) throw takenByOther();
      await insertChannelRow(rows, {
        id: channelId,
        serverId,
        name,
        description: fits ? description : null,
        isPrivate: said.isPrivate,
        isArchived: said.isArchived,
        createdAt: new Date(createdAt).toISOString(),
        lastSeq: seq,
        categoryId,
      });
      await writeThreads(rows, id, key, channelId);
      if (said.isPrivate) await letPeopleIn(rows, channelId, serverId, await stagedMembers(rows, id, key));
      await readByAll(rows, channelId, serverId, seq);
      await expireUnattended(rows);
    },
    { snapshot: false },
  );
}

async function writeThreads(rows: Rows, importId: string, channel: string, channelId: string): Promise<void> {
  for await (const page of stagedThreads(rows, importId, channel)) {
    const made = page.map(({ key, name, at }) => ({
      id: idIn(importId, 'thread', key, at),
      parent: idIn(importId, 'message', key, at),
      name: nameFrom(name ?? '', maxName),
    }));
    const texts = await textsOf(
      rows,
      channelId,
      made.filter((thread) => thread.name === '').map(({ parent }) => parent),
    );
    const named = made.map((thread) => ({
      ...thread,
      name: thread.name || titleOf(texts.get(thread.parent) ?? ''),
      named: thread.name !== '',
    }));
    await insertThreadRows(rows, channelId, named);
  }
  await countThreads(rows, channelId);
}

/** Tells the people of the server of a new channel; archived ones are in no list. */
async function tell(work: Work, { key, channelId }: ImportChannelRow, isArchived: boolean): Promise<void> {
  const { changes, services, serverId, id } = work;
  await changes.run(async (change) => {
    if (!(await setChannelState(change.rows, id, key, 'written', 'told'))) throw takenByOther();
    if (!isArchived) await services.audience.publish(change, { serverId, channelId });
  });
}
