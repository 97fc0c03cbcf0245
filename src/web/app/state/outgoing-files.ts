import { signal } from '@preact/signals';
import { ParleyError } from '../../../client/index.ts';
import { type Attachment, upload } from './attachments.ts';
import { connection, sentence } from './client.ts';
import { keptKeys } from './kept.ts';
import { whenItMayWork } from './reading.ts';
import { tell } from './toasts.ts';

interface Outgoing {
  files: readonly Attachment[];
  /** Those being uploaded, or waiting for a connection. */
  coming: readonly File[];
}

const mostFiles = 10;
/** How often an upload is tried that fails while there is a connection. */
const mostTries = 5;
/** By channel or thread, so that they survive visiting another one. */
const outgoing = signal<ReadonlyMap<string, Outgoing>>(new Map());
/** Names of sent files, by id: an unacknowledged message has only the ids. */
const names = new Map<string, string>();

/** Files to be sent with the next message of a channel or thread. */
export const filesFor = (key: string): Outgoing => outgoing.value.get(key) ?? kept(key);

export const nameOfFile = (id: string): string => names.get(id) ?? 'A file';

/** Finished uploads survive a reload: phones discard pages while one looks for the next file. */
function kept(key: string): Outgoing {
  const text = sessionStorage.getItem(keptKeys.files + key);
  return { files: text === null ? [] : JSON.parse(text), coming: [] };
}

function change(key: string, what: (known: Outgoing) => Partial<Outgoing>): void {
  const known = outgoing.peek().get(key) ?? kept(key);
  const changed = { ...known, ...what(known) };
  outgoing.value = new Map(outgoing.peek()).set(key, changed);
  if (changed.files.length === 0) sessionStorage.removeItem(keptKeys.files + key);
  else sessionStorage.setItem(keptKeys.files + key, JSON.stringify(changed.files));
}

/** Uploads files while the message is being written. */
export async function addFiles(key: string, list: readonly File[]): Promise<void> {
  const { files, coming } = outgoing.peek().get(key) ?? kept(key);
  const chosen = list.slice(0, Math.max(0, mostFiles - files.length - coming.length));
  if (chosen.length < list.length) tell(`A message takes ${mostFiles} files at most.`, 'bad');
  change(key, (known) => ({ coming: [...known.coming, ...chosen] }));
  for (const file of chosen) {
    const uploaded = await uploadInTime(key, file).catch((error) => {
      tell(`${file.name}: ${sentence(error)}`, 'bad');
      return null;
    });
    const isWanted = uploaded && isComing(key, file);
    dropComing(key, file);
    if (isWanted) change(key, (known) => ({ files: [...known.files, uploaded] }));
  }
}

const isComing = (key: string, file: File): boolean => outgoing.peek().get(key)?.coming.includes(file) ?? false;

/** Uploads a file as soon as the server accepts it. @returns null when it is no longer wanted */
async function uploadInTime(key: string, file: File): Promise<Attachment | null> {
  for (let tries = 1; isComing(key, file); tries++) {
    try {
      return await upload(file);
    } catch (error) {
      if (!(error instanceof ParleyError) || !error.isPassing || tries >= mostTries) throw error;
      if (connection.peek().status === 'offline') tries = 0;
      await new Promise<void>((resolve) => whenItMayWork(resolve));
    }
  }
  return null;
}

/** A file still being uploaded must not go with the message. */
export function dropComing(key: string, file: File): void {
  change(key, ({ coming }) => ({ coming: coming.filter((other) => other !== file) }));
}

export function dropFile(key: string, { id }: Attachment): void {
  change(key, ({ files }) => ({ files: files.filter((file) => file.id !== id) }));
}

/** They are to go with the next message of another conversation; what it has no room for stays. */
export function moveFiles(key: string, other: string): void {
  const { files } = filesFor(key);
  if (files.length === 0) return;
  const there = filesFor(other);
  const room = Math.max(0, mostFiles - there.files.length - there.coming.length);
  change(other, (known) => ({ files: [...known.files, ...files.slice(0, room)] }));
  change(key, () => ({ files: files.slice(room) }));
}

/** They were sent with a message. */
export function letGo(key: string): void {
  for (const { id, filename } of filesFor(key).files) names.set(id, filename);
  change(key, () => ({ files: [] }));
}
