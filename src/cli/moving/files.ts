import { AppError } from '../../contract/errors.ts';
import { contentInfo } from '../../features/media/media.facts.ts';
import { Head, safeFilename } from '../../features/media/media.service.ts';
import { TransferError } from '../transfer/failure.ts';
import type { Work } from './work.ts';

/** A file that is stored. */
export interface StoredFile {
  blobId: string;
  size: number;
  filename: string;
  contentType: string;
  width: number | null;
  height: number | null;
  isSpoiler: boolean;
}

/** What an export says of a file. */
interface SaidFile {
  name: string;
  path: string | null;
  url: string;
  isSpoiler: boolean;
}

type Content = Omit<StoredFile, 'filename' | 'isSpoiler'>;

/** Contents that are remembered: a hostile export could name a large file in each of its messages. */
const remembered = 10_000;

/** The files of an archive, each stored once. */
export class Files {
  private readonly contents = new Map<string, Content | null>();

  /** Stores a file of the archive; null: it cannot be, which the report tells. */
  async store(work: Work, { name, path, isSpoiler }: SaidFile): Promise<StoredFile | null> {
    if (path === null) return null;
    const known = this.contents.get(path);
    const content = known === undefined ? await this.contentOf(work, path) : known;
    if (this.contents.size >= remembered) this.contents.clear();
    this.contents.set(path, content);
    return content && { ...content, filename: safeFilename(name), isSpoiler };
  }

  private async contentOf(work: Work, path: string): Promise<Content | null> {
    const { services, settings, archive, report } = work;
    try {
      const head = new Head();
      const blob = await services.blobs.write(head.watch(archive.read(path)), settings.limits.attachmentBytes);
      return { blobId: blob.id, size: blob.size, ...(await contentInfo(head.bytes)) };
    } catch (error) {
      if (!(error instanceof AppError || error instanceof TransferError)) throw error;
      report.problem('a file cannot be used: its message names it', `${path}: ${error.message}`);
      return null;
    }
  }
}

/** What stands in a message for a file that is not there. Addresses lose their end, which may let whoever has it in. */
export function nameInstead({ name, url }: SaidFile): string {
  const [address = ''] = url.split(/[?#]/);
  const shown = safeFilename(name)
    .replace(/[[\]\\`*_<>]/g, ' ')
    .trim();
  return /^https:\/\/[^\s()<>]+$/.test(address) ? `📎 [${shown}](${address})` : `📎 ${shown}`;
}
