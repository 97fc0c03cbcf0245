import type { BlobStore } from '../blobs/blob.store.ts';

/** Of a plain-text file so much is read. */
const mostBytes = 32 * 1024;
/** Of one message. */
const mostFiles = 4;
const plainText = /^(text\/|application\/(json|xml|yaml|x-yaml|toml|javascript|sql))/;

interface StoredFile {
  contentType: string;
  blobId: string;
}

/** The beginnings of plain-text files, by which these are found (contract §6). */
export class FileTexts {
  private readonly blobs: Pick<BlobStore, 'read'>;

  constructor(blobs: Pick<BlobStore, 'read'>) {
    this.blobs = blobs;
  }

  /** @param files all of a message @returns those with a text; what cannot be read has an empty one */
  async of<F extends StoredFile>(files: F[]): Promise<{ file: F; text: string }[]> {
    const plain = files.filter(({ contentType }) => plainText.test(contentType)).slice(0, mostFiles);
    return Promise.all(plain.map(async (file) => ({ file, text: await this.beginning(file.blobId).catch(() => '') })));
  }

  private async beginning(blobId: string): Promise<string> {
    const pieces: Buffer[] = [];
    for await (const piece of this.blobs.read(blobId, { start: 0, end: mostBytes - 1 })) pieces.push(piece);
    // The last character may be cut.
    return new TextDecoder().decode(Buffer.concat(pieces), { stream: true });
  }
}
