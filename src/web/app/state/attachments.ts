import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Message, RestAnswer } from '../../../client/index.ts';
import { keysOf } from '../../../client/store.ts';
import type { Core } from './session.ts';
import { formatSize } from './sizes.ts';
import { keptKeys } from './surroundings.ts';
import { Upload, type VoiceFacts } from './uploads.ts';

export type Attachment = Message['attachments'][number];

/** The files of a message that is being written. */
interface Outgoing {
  files: readonly Attachment[];
  /** Those being uploaded, waiting for a connection, or refused. */
  uploading: readonly Upload[];
}

type Bounds = Pick<RestAnswer<'GET /api/auth/me/storage'>, 'fileBytes' | 'leftBytes'>;

interface Link {
  url: Promise<string>;
  expiresAt: number;
}

/** The server allows no more. */
export const maxFiles = 10;
/** The server is asked how much it takes where there is a file of more. */
const smallBytes = 1024 * 1024;
/** A link that expires within this time is fetched again. */
const marginMs = 60_000;

const hasSome = ({ files, uploading }: Outgoing): boolean => files.length > 0 || uploading.length > 0;

/** Files of messages: those to be sent, by channel or thread, and links to those received. */
export class Attachments {
  /** Called with the id of each conversation whose files to send were changed here. */
  onChanged: (key: string) => void = () => {};
  /** The conversations that have some. */
  readonly keys: ReadonlySignal<ReadonlySet<string>>;
  private readonly core: Core;
  private readonly outgoing: Signal<ReadonlyMap<string, Outgoing>>;
  /** Names of sent files, by id: an unacknowledged message has only the ids. */
  private readonly names = new Map<string, string>();
  /** What was chosen on this page and is to be sent, by the ids of the uploads. */
  private readonly sources = new Map<string, File>();
  private readonly links = new Map<string, Link>();
  /** Where the files being uploaded belong. */
  private readonly places = new Map<Upload, string>();
  /** Of voice messages that are being uploaded. */
  private readonly told = new WeakMap<File, VoiceFacts>();

  constructor(core: Core) {
    this.core = core;
    core.scope.onStored((stored) => {
      if (!stored.startsWith(keptKeys.files)) return;
      const key = stored.slice(keptKeys.files.length);
      this.put(key, { ...this.peek(key), ...this.stored(key) });
    });
    const kept = keysOf(core.scope.local, keptKeys.files).map((key) => key.slice(keptKeys.files.length));
    this.outgoing = signal<ReadonlyMap<string, Outgoing>>(
      new Map(kept.map((key) => [key, { uploading: [], ...this.stored(key) }])),
    );
    this.keys = computed(() => new Set([...this.outgoing.value].filter(([, one]) => hasSome(one)).map(([key]) => key)));
  }

  /** The files to be sent with the next message of a channel or thread. */
  of(key: string): Outgoing {
    return this.outgoing.value.get(key) ?? this.peek(key);
  }

  nameOf(id: string): string {
    return this.names.get(id) ?? this.core.texts.peek().t('A file');
  }

  /** What was uploaded from here, if this page still has it. */
  fileOf(id: string): File | undefined {
    return this.sources.get(id);
  }

  /** A file is a voice message: what is told with it. */
  tell(file: File, facts: VoiceFacts): void {
    this.told.set(file, facts);
  }

  /** Uploads files while the message is being written. Those that are too large are refused before. */
  async add(key: string, list: readonly File[]): Promise<void> {
    const { files, uploading } = this.peek(key);
    const chosen = list.slice(0, Math.max(0, maxFiles - files.length - uploading.length));
    if (chosen.length < list.length)
      this.core.toasts.show(
        this.core.texts.peek().t('A message takes {count} files at most.', { count: maxFiles }),
        'bad',
      );
    const uploads = chosen.map((file) => new Upload(this.core, file, this.told.get(file)));
    this.change(key, (known) => ({ uploading: [...known.uploading, ...uploads] }));
    for (const upload of uploads) this.places.set(upload, key);
    await this.refuseTooLarge(key, uploads);
    for (const upload of uploads) await this.run(upload);
  }

  /** Uploads a file that failed once more. */
  async tryAgain(upload: Upload): Promise<void> {
    if (upload.problem.peek() === null) return;
    upload.problem.value = null;
    await this.run(upload);
  }

  /** A file still being uploaded is not to be sent. */
  cancel(upload: Upload): void {
    upload.cancel();
    this.drop(upload);
  }

  /** An uploaded file is not to be sent: nobody else has it. */
  remove(key: string, { id }: Attachment): void {
    this.forget(id);
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

  /** Moves all files to those of another conversation, those being uploaded too. */
  moveAll(key: string, other: string): void {
    const { files, uploading } = this.peek(key);
    for (const upload of uploading) this.places.set(upload, other);
    this.change(other, (known) => ({
      files: [...known.files, ...files].slice(0, maxFiles),
      uploading: [...known.uploading, ...uploading],
    }));
    this.change(key, () => ({ files: [], uploading: [] }));
  }

  discard(key: string): void {
    for (const upload of this.peek(key).uploading) upload.cancel();
    this.change(key, () => ({ files: [], uploading: [] }));
  }

  /** They were sent with a message. */
  sent(key: string): void {
    for (const { id, filename } of this.peek(key).files) {
      this.names.set(id, filename);
      this.sources.delete(id);
    }
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

  private async run(upload: Upload): Promise<void> {
    if (upload.isCancelled || upload.problem.peek() !== null) return;
    const uploaded = await upload.run();
    if (!uploaded) return;
    const key = this.drop(upload);
    if (key === undefined) return this.forget(uploaded.id);
    this.sources.set(uploaded.id, upload.file);
    this.change(key, ({ files }) => ({ files: [...files, uploaded] }));
  }

  /** Otherwise the server has it for a day. */
  private forget(id: string): void {
    this.sources.delete(id);
    this.core.client.rest('DELETE /api/attachments/:id', { id }).catch(() => {});
  }

  /** @returns of what it was; undefined: it is not wanted any more */
  private drop(upload: Upload): string | undefined {
    const key = this.places.get(upload);
    this.places.delete(upload);
    if (key === undefined) return undefined;
    this.change(key, ({ uploading }) => ({ uploading: uploading.filter((other) => other !== upload) }));
    return upload.isCancelled ? undefined : key;
  }

  private async refuseTooLarge(key: string, uploads: readonly Upload[]): Promise<void> {
    if (uploads.every(({ file }) => file.size <= smallBytes)) return;
    // Without an answer the server decides.
    const bounds: Bounds | null = await this.core.client.rest('GET /api/auth/me/storage').catch(() => null);
    // A server of an earlier version does not tell.
    const most = bounds?.fileBytes ?? Number.POSITIVE_INFINITY;
    let left = bounds?.leftBytes ?? Number.POSITIVE_INFINITY;
    for (const upload of uploads) {
      const { name, size } = upload.file;
      if (size <= most && size <= left) {
        left -= size;
        continue;
      }
      const { t } = this.core.texts.peek();
      const reason =
        size > most
          ? t('{name} is too large. Files can be up to {size}.', { name, size: formatSize(most) })
          : t('There is no room for {name}: {size} left.', { name, size: formatSize(left) });
      // A message that waits for it is not sent without it.
      if (this.places.get(upload) !== key) upload.problem.value = reason;
      else {
        this.cancel(upload);
        this.core.toasts.show(reason, 'bad');
      }
    }
  }
}
