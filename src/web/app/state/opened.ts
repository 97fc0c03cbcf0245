import { signal } from '@preact/signals';
import { type ChannelRecord, ParleyError } from '../../../client/index.ts';
import { parley } from './client.ts';

/** Visited channels, by id, as they were then: until a list has them, and for archived ones. */
export const opened = signal<ReadonlyMap<string, ChannelRecord>>(new Map());

export async function readChannelRecord(id: string): Promise<ChannelRecord> {
  const channel = await parley.rest('GET /api/channels/:id', { id });
  opened.value = new Map(opened.value).set(id, channel);
  return channel;
}

/** Fetches a channel that no list has. If it is not accessible, the conversation itself says so. */
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
