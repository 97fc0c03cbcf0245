import { signal } from '@preact/signals';
import { ParleyError, type RestAnswer } from '../../../client/index.ts';
import type { Core } from './session.ts';
import { errorText } from './toasts.ts';

/** What is told of a voice message with its file. */
export interface VoiceFacts {
  durationMs: number;
  /** How loud it is over its time, a byte each, in base64. */
  waveform: string;
}

export type Uploaded = RestAnswer<'POST /api/media/upload'>;

/** How often an upload is tried that fails while there is a connection. */
const maxTries = 5;
/** Files of more than two of these come in parts, of which each is tried again by itself. */
const partBytes = 2 * 1024 * 1024;
/** The server takes no more. */
const maxParts = 50;
/** How long the server may take to put the parts together. */
const joinMs = 2 * 60_000;

/** A file on its way to the server. */
export class Upload {
  readonly file: File;
  /** The share of it that was sent, from 0 to 1. */
  readonly sent = signal(0);
  /** Why it was not stored, as a sentence; null: it is under way, or waits for a connection. */
  readonly problem = signal<string | null>(null);
  private readonly core: Core;
  private readonly voice: VoiceFacts | undefined;
  private readonly ending = new AbortController();
  /** Those that are there, by their ids. */
  private parts: readonly string[] = [];

  constructor(core: Core, file: File, voice?: VoiceFacts) {
    this.core = core;
    this.file = file;
    this.voice = voice;
  }

  get isCancelled(): boolean {
    return this.ending.signal.aborted;
  }

  /** Nothing more of it is sent. */
  cancel(): void {
    this.ending.abort();
    for (const id of this.parts) this.core.client.rest('DELETE /api/attachments/:id', { id }).catch(() => {});
  }

  /** Sends the file as soon as the server accepts it. @returns null when it failed, which is shown, or is not wanted any more */
  async run(): Promise<Uploaded | null> {
    for (let tries = 1; !this.isCancelled; tries++) {
      const { length } = this.parts;
      try {
        return await this.send();
      } catch (error) {
        if (this.isCancelled) return null;
        if (this.parts.length > length) tries = 1;
        if (!(error instanceof ParleyError) || !error.isPassing || tries >= maxTries) return this.fail(error);
        if (this.core.connection.state.peek().status === 'offline') tries = 0;
        await new Promise<void>((resolve) => this.core.connection.whenReachable(resolve));
      }
    }
    return null;
  }

  private fail(error: unknown): null {
    // Parts that are too old are there no more.
    if (error instanceof ParleyError && error.status === 404) this.parts = [];
    this.problem.value = errorText(error, this.core.texts.peek());
    return null;
  }

  private async send(): Promise<Uploaded> {
    const { file } = this;
    const told = this.voice ? { voice: true, ...this.voice } : {};
    if (file.size <= 2 * partBytes) return this.put(file, told, 0);
    const size = Math.max(partBytes, Math.ceil(file.size / maxParts));
    while (this.parts.length * size < file.size) {
      const start = this.parts.length * size;
      const { id } = await this.put(file.slice(start, start + size), { part: true }, start);
      this.parts = [...this.parts, id];
    }
    const body = { parts: [...this.parts], filename: file.name, ...told };
    const options = { signal: this.ending.signal, timeoutMs: joinMs };
    return this.core.client.transfer('POST /api/media/join', [{ body }], options);
  }

  /** Sends the file, or a part of it. @param start how many bytes are there before */
  private put(bytes: Blob, told: object, start: number): Promise<Uploaded> {
    const form = new FormData();
    for (const [name, value] of Object.entries(told)) form.set(name, String(value));
    form.set('file', bytes, this.file.name);
    const share = (sent: number) => {
      this.sent.value = (start + sent * bytes.size) / Math.max(this.file.size, 1);
    };
    share(0);
    const transport = this.core.surroundings.transport?.(share);
    return this.core.client.transfer('POST /api/media/upload', [{ form }], { signal: this.ending.signal, transport });
  }
}
