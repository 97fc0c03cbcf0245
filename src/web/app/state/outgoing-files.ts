import { signal } from '@preact/signals';
import { type Message, ParleyError } from '../../../client/index.ts';
import { upload } from './attachments.ts';
import { connection, sentence } from './client.ts';
import { keptKeys } from './kept.ts';
import { whenItMayWork } from './reading.ts';
import { tell } from './toasts.ts';

type Attachment = Message['attachments'][number];

interface Outgoing {
  files: readonly Attachment[];
  /** Those that are still on their way, or wait for a connection. */
  coming: readonly File[];
}

const mostFiles = 10;
/** So often a file is sent that fails while there is a connection. */
const mostTries = 5;
/** By channel or thread: whoever looks elsewhere meanwhile finds them again. */
const outgoing = signal<ReadonlyMap<string, Outgoing>>(new Map());
/** How files are called that were sent, by id: a message that is on its way has nothing but the ids. */
const names = new Map<string, string>();

/** Files that go with the next message of a channel or thread. */
export const filesFor = (key: string): Outgoing => outgoing.value.get(key) ?? kept(key);

export const nameOfFile = (id: string): string => names.get(id) ?? 'A file';

/** What was uploaded is there after a reload, too: phones let pages go while one looks for the next file. */
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

/** Uploads files while the message is written. */
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

/** Sends a file as soon as the server takes it. @returns null when it is not wanted any more */
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

/** A file that is on its way is not to go with the message. */
export function dropComing(key: string, file: File): void {
  change(key, ({ coming }) => ({ coming: coming.filter((other) => other !== file) }));
}

export function dropFile(key: string, { id }: Attachment): void {
  change(key, ({ files }) => ({ files: files.filter((file) => file.id !== id) }));
}

/** They went with a message. */
export function letGo(key: string): void {
  for (const { id, filename } of filesFor(key).files) names.set(id, filename);
  change(key, () => ({ files: [] }));
}
