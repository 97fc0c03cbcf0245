import { signal } from '@preact/signals';
import { type ChannelRecord, ParleyError } from '../../../client/index.ts';
import { parley } from './client.ts';

/** Channels that were looked at, by id, as they were then: for as long as no list tells of them, and for archived ones. */
export const opened = signal<ReadonlyMap<string, ChannelRecord>>(new Map());

export async function readChannelRecord(id: string): Promise<ChannelRecord> {
  const channel = await parley.rest('GET /api/channels/:id', { id });
  opened.value = new Map(opened.value).set(id, channel);
  return channel;
}

/** The same for what no list tells of. Of one that is none of ours the conversation itself says so. */
export async function readUnlisted(id: string): Promise<void> {
  try {
    await readChannelRecord(id);
  } catch (error) {
    if (!(error instanceof ParleyError) || error.status !== 404) throw error;
    forgetOpened(id);
  }
}

export function forgetOpened(id: string): void {
  const others = new Map(opened.value);
  if (others.delete(id)) opened.value = others;
}
