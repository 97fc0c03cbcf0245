import { withoutDirections } from '../../infrastructure/directions.ts';
import { inspectFile } from '../../infrastructure/file-inspector.ts';

/** The type of a file, from its first bytes. */
export interface ContentInfo {
  contentType: string;
  /** Pixels; null for all but images. */
  width: number | null;
  height: number | null;
}

/** Names lie; contents seldom do. Unknown types are text if they decode as such, else plain bytes (contract §6). */
export async function contentInfo(head: Buffer): Promise<ContentInfo> {
  const { mime, width, height } = await inspectFile(head);
  return { contentType: mime ?? (isText(head) ? 'text/plain' : 'application/octet-stream'), width, height };
}

function isText(head: Buffer): boolean {
  if (head.length === 0 || head.includes(0)) return false;
  // The last character may be cut off.
  const text = new TextDecoder('utf-8', { fatal: true });
  try {
    text.decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** A name without folders and control characters, not too long, and never empty. */
export function safeFilename(name: string): string {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1).toWellFormed();
  const clean = withoutDirections(base)
    .replace(/\p{Cc}/gu, '')
    .trim();
  return clean.slice(0, 255).toWellFormed() || 'file';
}
