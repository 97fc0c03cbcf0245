import { signal } from '@preact/signals';
import { type Message, ParleyError } from '../../../client/index.ts';
import type { Core } from './session.ts';
import { keptKeys } from './surroundings.ts';
import { errorText } from './toasts.ts';

export type Attachment = Message['attachments'][number];

/** The files of a message that is being written. */
interface Outgoing {
  files: readonly Attachment[];
  /** Those being uploaded, or waiting for a connection. */
  uploading: readonly File[];
}

/** What is told of a voice message with its file. */
export interface VoiceFacts {
  durationMs: number;
  /** How loud it is over its time, a byte each, in base64. */
  waveform: string;
}

interface Link {
  url: Promise<string>;
  expiresAt: number;
}

/** The server allows no more. */
export const maxFiles = 10;
/** How often an upload is tried that fails while there is a connection. */
const maxTries = 5;
/** A link that expires within this time is fetched again. */
const marginMs = 60_000;

/** Files of messages: those to be sent, by channel or thread, and links to those received. */
export class Attachments {
  /** Called with the id of each conversation whose files to send were changed here. */
  onChanged: (key: string) => void = () => {};
  private readonly core: Core;
  private readonly outgoing = signal<ReadonlyMap<string, Outgoing>>(new Map());
  /** Names of sent files, by id: an unacknowledged message has only the ids. */
  private readonly names = new Map<string, string>();
  private readonly links = new Map<string, Link>();
  /** Of voice messages that are being uploaded. */
  private readonly told = new WeakMap<File, VoiceFacts>();

  constructor(core: Core) {
    this.core = core;
    core.scope.onStored((stored) => {
      if (!stored.startsWith(keptKeys.files)) return;
      const key = stored.slice(keptKeys.files.length);
      this.put(key, { ...this.peek(key), ...this.stored(key) });
    });
  }

  /** The files to be sent with the next message of a channel or thread. */
  of(key: string): Outgoing {
    return this.outgoing.value.get(key) ?? this.peek(key);
  }

  nameOf(id: string): string {
    return this.names.get(id) ?? this.core.texts.peek().t('A file');
  }

  /** A file is a voice message: what is told with it. */
  tell(file: File, facts: VoiceFacts): void {
    this.told.set(file, facts);
  }

  /** Uploads files while the message is being written. */
  async add(key: string, list: readonly File[]): Promise<void> {
    const { files, uploading } = this.peek(key);
    const chosen = list.slice(0, Math.max(0, maxFiles - files.length - uploading.length));
    if (chosen.length < list.length)
      this.core.toasts.show(
        this.core.texts.peek().t('A message takes {count} files at most.', { count: maxFiles }),
        'bad',
      );
    this.change(key, (known) => ({ uploading: [...known.uploading, ...chosen] }));
    for (const file of chosen) {
      const uploaded = await this.upload(key, file).catch((error) => {
        this.core.toasts.show(`${file.name}: ${errorText(error, this.core.texts.peek())}`, 'bad');
        return null;
      });
      const isWanted = uploaded && this.isUploading(key, file);
      this.cancel(key, file);
      if (isWanted) this.change(key, (known) => ({ files: [...known.files, uploaded] }));
    }
  }

  /** A file still being uploaded is not to be sent. */
  cancel(key: string, file: File): void {
    this.change(key, ({ uploading }) => ({ uploading: uploading.filter((other) => other !== file) }));
  }

  remove(key: string, { id }: Attachment): void {
    this.change(key, ({ files }) => ({ files: files.filter((file) => file.id !== id) }));
  }

  /** Shows other files to send than before. */
  replace(key: string, files: readonly Attachment[]): void {
    this.change(key, () => ({ files }));
  }

  /** Says of an uploaded file whether it is sent as a spoiler. @throws ParleyError */
  async hide(key: string, { id }: Attachment, isSpoiler: boolean): Promise<void> {
    const file = await this.core.client.rest('PATCH /api/attachments/:id', { id, body: { isSpoiler } });
    this.change(key, ({ files }) => ({ files: files.map((known) => (known.id === id ? file : known)) }));
  }

  /** Moves files to another conversation; those beyond its limit stay. @returns whether there were any */
  move(key: string, other: string): boolean {
    const { files } = this.peek(key);
    if (files.length === 0) return false;
    const there = this.peek(other);
    const room = Math.max(0, maxFiles - there.files.length - there.uploading.length);
    this.change(other, (known) => ({ files: [...known.files, ...files.slice(0, room)] }));
    this.change(key, () => ({ files: files.slice(room) }));
    return true;
  }

  discard(key: string): void {
    this.change(key, () => ({ files: [], uploading: [] }));
  }

  /** They were sent with a message. */
  sent(key: string): void {
    for (const { id, filename } of this.peek(key).files) this.names.set(id, filename);
    this.change(key, () => ({ files: [] }));
  }

  /** A URL with which the browser itself can show or fetch a file, for some minutes. */
  linkTo({ id }: Attachment): Promise<string> {
    const now = Date.now();
    const known = this.links.get(id);
    if (known && known.expiresAt > now) return known.url;
    const answer = this.core.client.rest('GET /api/attachments/:id/media-url', { id });
    const link = { url: answer.then(({ url }) => url), expiresAt: now + marginMs };
    this.links.set(id, link);
    answer.then(
      ({ expiresAt }) => {
        link.expiresAt = Date.parse(expiresAt) - marginMs;
      },
      () => this.links.delete(id),
    );
    return link.url;
  }

  /** The same at this moment. */
  peek(key: string): Outgoing {
    return this.outgoing.peek().get(key) ?? { uploading: [], ...this.stored(key) };
  }

  /** Finished uploads survive a reload: phones discard pages while the user picks the next file. All tabs have them. */
  private stored(key: string): Pick<Outgoing, 'files'> {
    const text = this.core.scope.local.getItem(keptKeys.files + key);
    return { files: text === null ? [] : JSON.parse(text) };
  }

  private change(key: string, what: (known: Outgoing) => Partial<Outgoing>): void {
    const known = this.peek(key);
    const changed = { ...known, ...what(known) };
    this.put(key, changed);
    if (changed.files === known.files) return;
    const { local } = this.core.scope;
    if (changed.files.length === 0) local.removeItem(keptKeys.files + key);
    else local.setItem(keptKeys.files + key, JSON.stringify(changed.files));
    this.onChanged(key);
  }

  private put(key: string, outgoing: Outgoing): void {
    this.outgoing.value = new Map(this.outgoing.peek()).set(key, outgoing);
  }

  private isUploading(key: string, file: File): boolean {
    return this.outgoing.peek().get(key)?.uploading.includes(file) ?? false;
  }

  /** Uploads a file as soon as the server accepts it. @returns null when it is no longer wanted */
  private async upload(key: string, file: File): Promise<Attachment | null> {
    for (let tries = 1; this.isUploading(key, file); tries++) {
      try {
        const form = new FormData();
        const told = this.told.get(file);
        if (told) {
          form.set('voice', 'true');
          form.set('durationMs', String(told.durationMs));
          form.set('waveform', told.waveform);
        }
        form.set('file', file, file.name);
        return await this.core.client.rest('POST /api/media/upload', { form });
      } catch (error) {
        if (!(error instanceof ParleyError) || !error.isPassing || tries >= maxTries) throw error;
        if (this.core.connection.state.peek().status === 'offline') tries = 0;
        await new Promise<void>((resolve) => this.core.connection.whenReachable(resolve));
      }
    }
    return null;
  }
}
