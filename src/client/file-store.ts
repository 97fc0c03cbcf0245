import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { MemoryStore } from './store.ts';

/** Keeps values in a file, for programs in Node: they are there at the next start. One program at a time. */
export class FileStore extends MemoryStore {
  private readonly file: string;

  /** @throws Error when the file is there and cannot be read */
  constructor(file: string) {
    super();
    this.file = file;
    const kept: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    for (const [key, value] of Object.entries(kept ?? {})) this.items.set(key, String(value));
  }

  override setItem(key: string, value: string): void {
    if (this.getItem(key) === value) return;
    super.setItem(key, value);
    this.write();
  }

  override removeItem(key: string): void {
    if (this.getItem(key) === null) return;
    super.removeItem(key);
    this.write();
  }

  /** A program that is killed meanwhile leaves the file as it was. */
  private write(): void {
    const next = `${this.file}.next`;
    writeFileSync(next, JSON.stringify(Object.fromEntries(this.items)), { mode: 0o600 });
    renameSync(next, this.file);
  }
}
