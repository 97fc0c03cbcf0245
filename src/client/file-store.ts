import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { KeyValueStore } from './store.ts';

/** Keeps values in a file, for programs in Node: they are there at the next start. One program at a time. */
export class FileStore implements KeyValueStore {
  private readonly file: string;
  private readonly items: Map<string, string>;

  /** @throws Error when the file is there and cannot be read */
  constructor(file: string) {
    this.file = file;
    const kept: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    this.items = new Map(Object.entries(kept ?? {}).map(([key, value]) => [key, String(value)]));
  }

  get length(): number {
    return this.items.size;
  }

  key(index: number): string | null {
    return [...this.items.keys()][index] ?? null;
  }

  getItem(key: string): string | null {
    return this.items.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    if (this.items.get(key) === value) return;
    this.items.set(key, value);
    this.write();
  }

  removeItem(key: string): void {
    if (this.items.delete(key)) this.write();
  }

  /** A program that is killed meanwhile leaves the file as it was. */
  private write(): void {
    const next = `${this.file}.next`;
    writeFileSync(next, JSON.stringify(Object.fromEntries(this.items)), { mode: 0o600 });
    renameSync(next, this.file);
  }
}
