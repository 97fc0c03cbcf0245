import { signal } from '@preact/signals';
import type { Message } from '../../../client/index.ts';
import { upload } from './attachments.ts';
import { sentence } from './client.ts';
import { tell } from './toasts.ts';

type Attachment = Message['attachments'][number];

interface Outgoing {
  files: readonly Attachment[];
  /** How many are still on their way. */
  uploading: number;
}

const mostFiles = 10;
const nothing: Outgoing = { files: [], uploading: 0 };
/** By channel or thread: whoever looks elsewhere meanwhile finds them again. */
const outgoing = signal<ReadonlyMap<string, Outgoing>>(new Map());

/** Files that go with the next message of a channel or thread. */
export const filesFor = (key: string): Outgoing => outgoing.value.get(key) ?? nothing;

function change(key: string, what: (known: Outgoing) => Partial<Outgoing>): void {
  const known = outgoing.peek().get(key) ?? nothing;
  outgoing.value = new Map(outgoing.peek()).set(key, { ...known, ...what(known) });
}

/** Uploads files while the message is written. */
export async function addFiles(key: string, list: readonly File[]): Promise<void> {
  const { files, uploading } = outgoing.peek().get(key) ?? nothing;
  const chosen = list.slice(0, Math.max(0, mostFiles - files.length - uploading));
  if (chosen.length < list.length) tell(`A message takes ${mostFiles} files at most.`, 'bad');
  change(key, (known) => ({ uploading: known.uploading + chosen.length }));
  for (const file of chosen) {
    await upload(file).then(
      (uploaded) => change(key, (known) => ({ files: [...known.files, uploaded] })),
      (error) => tell(`${file.name}: ${sentence(error)}`, 'bad'),
    );
    change(key, (known) => ({ uploading: known.uploading - 1 }));
  }
}

export function dropFile(key: string, { id }: Attachment): void {
  change(key, ({ files }) => ({ files: files.filter((file) => file.id !== id) }));
}

export function dropAllFiles(key: string): void {
  change(key, () => ({ files: [] }));
}
