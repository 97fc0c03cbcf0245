import type { Readable } from 'node:stream';
import type { BlobStore } from './blob.store.ts';

/** Larger files are read separately, as they are consumed. */
const smallBytes = 32 * 1024;
/** How many small files are read at once, and how many bytes of them. */
const most = { files: 200, bytes: 256 * 1024 };

/** A file whose content is in the store. */
export interface StoredFile {
  blobId: string;
  size: number;
}

/**
 * Contents of many files that are read one after the other: each statement brings several small ones. Only what the last
 * one brought is held.
 */
export class ReadAhead {
  private readonly blobs: BlobStore;
  private readonly files: StoredFile[];
  private held = new Map<string, Buffer>();

  /** @param files in the order of reading, where that is known */
  constructor(blobs: BlobStore, files: StoredFile[]) {
    this.blobs = blobs;
    this.files = files;
  }

  /** The contents of the file at an index of the list: whole if it is small, else read as they are consumed. */
  async read(place: number): Promise<Buffer | Readable> {
    const file = this.files[place];
    if (!file) throw new RangeError(`There is no file ${place}.`);
    if (file.size === 0) return Buffer.alloc(0);
    if (file.size > smallBytes) return this.blobs.read(file.blobId);
    if (!this.held.has(file.blobId)) this.held = await this.blobs.readSmall(this.from(place));
    const content = this.held.get(file.blobId);
    if (!content) throw new Error(`The blob ${file.blobId} is gone.`);
    return content;
  }

  /** The contents of the file and of as many small ones after it as are read at once. */
  private from(place: number): string[] {
    const ids = new Set<string>();
    let bytes = 0;
    for (let at = place; at < this.files.length && ids.size < most.files; at++) {
      const file = this.files[at];
      if (!file || file.size > smallBytes || ids.has(file.blobId)) continue;
      bytes += file.size;
      if (bytes > most.bytes && ids.size > 0) break;
      ids.add(file.blobId);
    }
    return [...ids];
  }
}
