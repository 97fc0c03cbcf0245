import { createHash } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { type LinkPreview, maxLinkAddress } from '../../contract/link-preview.ts';
import { channelRoom } from '../../contract/rooms.ts';
import type { KeptPreview } from '../../database/entities/message.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { type InsideWork, insideWork, type JobKind, type OutsideWork, outsideWork } from '../../jobs/job.kind.ts';
import { type Linking, linksKind } from '../../jobs/preview.jobs.ts';
import type { Context } from '../context.ts';
import type { Filters } from '../filters/filters.ts';
import { mayPreview } from '../messages/message.composer.ts';
import { publishUpdated } from '../messages/message.edit.ts';
import { linksIn } from '../messages/message.links.ts';
import { findMessage } from '../messages/message.table.ts';
import type { MessageRow } from '../messages/message.view.ts';
import type { PageFetcher } from './page-fetcher.ts';
import { type KnownPage, keepPreviews, pageTable, previewingServer } from './preview.table.ts';

/** Fetches a page, once for all messages that wait for it. */
const pageKind: JobKind<{ address: string }> = {
  name: 'link-page',
  schema: z.object({ address: z.string().max(maxLinkAddress) }),
};

/** Failures of the page are no failures of its job: they are noted like what was found. */
const retries = { attempts: 5, firstMs: 2000, longestMs: 60_000 };

export interface PreviewDeps extends Pick<Context, 'changes' | 'jobs' | 'limits' | 'settings' | 'publicUrl' | 'log'> {
  filters: Filters;
  fetcher: PageFetcher;
  counters: { hits: number; found: number; empty: number; failed: number; refused: number };
}

/** Gives messages the previews of the pages that they link to; those that are not known are fetched first. */
export function linksWork(deps: PreviewDeps): InsideWork {
  return insideWork(linksKind, async (change, jobs) => {
    for (const { data } of jobs) await preview(deps, change, data);
  });
}

async function preview(deps: PreviewDeps, change: Change, linking: Linking): Promise<void> {
  const row = await findMessage(change.rows, linking.messageId);
  if (!row || !mayPreview(deps.settings, row.kind)) return;
  const serverId = await previewingServer(change.rows, row.channel_id);
  if (serverId === undefined) return;
  const site = URL.parse(deps.publicUrl())?.origin;
  const addresses = linksIn(row.content).filter((address) => new URL(address).origin !== site);
  const removed = removedIn(row);
  const wanted = addresses.filter((address) => !removed.has(address));
  const pages = wanted.length > 0 ? await pagesAt(deps, change, row, wanted) : [];
  const found = new Map<string, LinkPreview>();
  for (const { address, preview } of pages) {
    if (preview && !(await isBarred(deps, serverId, preview))) found.set(address, preview);
  }
  await attach(change, row, addresses, found);
}

const removedIn = ({ previews }: MessageRow) =>
  new Set((previews ?? []).filter(({ isRemoved }) => isRemoved).map(({ url }) => url));

/** What is known of the pages; what is not is fetched, and the message waits for it. */
async function pagesAt(
  { jobs, limits, counters }: PreviewDeps,
  change: Change,
  row: MessageRow,
  addresses: string[],
): Promise<KnownPage[]> {
  const { rows } = change;
  const known = await pageTable.known(rows, addresses);
  const missing: string[] = [];
  for (const address of addresses) {
    if (known.some((page) => page.address === address)) counters.hits++;
    else if (!(await limits.take('linkPages', row.author_id))?.exceeded) missing.push(address);
  }
  if (missing.length === 0 && known.every(({ state }) => state !== 'waiting')) return known;
  const begun = missing.length > 0 ? await pageTable.begin(rows, missing) : [];
  const pages = await pageTable.lock(rows, addresses);
  const waiting = pages.filter(({ state }) => state === 'waiting').map(({ id }) => id);
  if (waiting.length > 0) {
    await pageTable.wait(rows, waiting, { messageId: row.id, channelId: row.channel_id });
  }
  const fetches = begun.map((address) => ({ data: { address }, key: keyOf(address) }));
  await jobs.addAll(change, pageKind, fetches);
  return pages;
}

const keyOf = (address: string) => createHash('sha256').update(address).digest('hex');

/** Whether filters of the server would not let the words through: whoever has a page may write anything into it. */
async function isBarred({ filters }: PreviewDeps, serverId: string | null, preview: LinkPreview): Promise<boolean> {
  if (serverId === null) return false;
  const { siteName, title, description } = preview;
  const entry = (await filters.of(serverId))?.find([siteName ?? '', title ?? '', description ?? '']).entry;
  return entry?.action === 'refuse' || entry?.action === 'hold';
}

/** Publishes the message with its previews, where they are others than before. */
async function attach(
  change: Change,
  row: MessageRow,
  addresses: string[],
  found: Map<string, LinkPreview>,
): Promise<void> {
  const { id: messageId, channel_id: channelId } = row;
  if (!addresses.some((address) => found.has(address))) return;
  await change.lock(channelRoom(channelId));
  const now = await findMessage(change.rows, messageId);
  // What it says by now has a job of its own.
  if (!now || now.content !== row.content) return;
  const had = new Map((now.previews ?? []).map((preview) => [preview.url, preview]));
  const previews = addresses.flatMap((address): KeptPreview[] => {
    const before = had.get(address);
    const preview = before?.isRemoved ? before : (found.get(address) ?? before);
    return preview ? [preview] : [];
  });
  if (JSON.stringify(previews) === JSON.stringify(now.previews ?? [])) return;
  await keepPreviews(change.rows, { messageId, channelId }, previews);
  await publishUpdated(change, channelId, messageId);
}

/** Fetches pages, and has the messages that wait for one looked at again. */
export function pageWork(deps: PreviewDeps): OutsideWork {
  const { previews } = deps.settings;
  return outsideWork(
    pageKind,
    async (change, { data: { address } }) =>
      (await pageTable.isWaiting(change.rows, address)) ? (over) => fetchPage(deps, address, over) : null,
    // The page, its host's name, and what is written afterwards.
    { retries, concurrency: previews.concurrency, limitMs: previews.timeoutMs + 20_000 },
  );
}

async function fetchPage(deps: PreviewDeps, address: string, over: AbortSignal): Promise<void> {
  const preview = await fetched(deps, address, over);
  over.throwIfAborted();
  const { keepSeconds, failedSeconds } = deps.settings.previews;
  await deps.changes.run(async (change) => {
    const seconds = preview ? keepSeconds : failedSeconds;
    const waiting = await pageTable.settle(change.rows, address, preview, seconds);
    if (!preview) return;
    await deps.jobs.addAll(
      change,
      linksKind,
      waiting.map((data) => ({ data })),
    );
  });
}

async function fetched(
  { fetcher, counters, log }: PreviewDeps,
  address: string,
  over: AbortSignal,
): Promise<LinkPreview | null> {
  try {
    const preview = await fetcher.fetch(address, over);
    if (preview) counters.found++;
    else counters.empty++;
    return preview;
  } catch (error) {
    const isUnsafe = causes(error).some((cause) => cause instanceof AppError && cause.code === 'UNSAFE_URL');
    if (isUnsafe) counters.refused++;
    else counters.failed++;
    log.debug({ err: error }, 'A page could not be fetched for a link preview.');
    return null;
  }
}

/** An error with what caused it. */
function causes(error: unknown): unknown[] {
  const all: unknown[] = [];
  for (let at = error; at instanceof Error && all.length < 5; at = at.cause) all.push(at);
  return all;
}
