import type { z } from 'zod';
import type { uploadFieldsSchema } from '../../contract/attachment.ts';
import { invalid } from '../../contract/schema/validation.ts';
import { inspectFile } from '../../infrastructure/file-inspector.ts';

/** What the sender of a file says of it. */
export type ToldOfFile = Omit<z.output<typeof uploadFieldsSchema>, 'part'> & { part?: boolean };

/** The type of a file, from its first bytes. */
export interface ContentInfo {
  contentType: string;
  /** Pixels; null for all but images. */
  width: number | null;
  height: number | null;
}

/** What clients need of a file before they have it. */
interface FileFacts extends ContentInfo {
  durationMs: number | null;
  isVoice: boolean;
  waveform: string | null;
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

/** A part of a file says nothing of it: the beginning of a picture is none. */
const bytesAlone: ContentInfo = { contentType: 'application/octet-stream', width: null, height: null };

/** Containers that hold sound or pictures: nothing in their first bytes says whether there are pictures. */
const soundIn = new Map([
  ['video/webm', 'audio/webm'],
  ['video/mp4', 'audio/mp4'],
  ['application/ogg', 'audio/ogg'],
]);

/**
 * What a file is, and what its sender says where that cannot be seen without decoding it (contract §6).
 * @throws AppError VALIDATION_FAILED for a voice message that is no sound, or of unknown duration
 */
export function factsOf({ contentType, width, height }: ContentInfo, told: ToldOfFile): FileFacts {
  const { voice: isVoice, durationMs = null, waveform = null } = told;
  if (told.part) return { ...bytesAlone, durationMs: null, isVoice: false, waveform: null };
  const sound = /^audio\//.test(contentType) ? contentType : soundIn.get(contentType);
  if (isVoice) {
    if (!sound) throw invalid([{ path: 'voice', message: 'takes an audio file', code: 'custom' }]);
    if (durationMs === null) throw invalid([{ path: 'durationMs', message: 'is needed', code: 'custom' }]);
    return { contentType: sound, width: null, height: null, durationMs, isVoice, waveform };
  }
  const isVideo = contentType.startsWith('video/');
  const sizes = isVideo && told.width && told.height ? { width: told.width, height: told.height } : { width, height };
  const isPlayed = isVideo || sound !== undefined;
  return { contentType, ...sizes, durationMs: isPlayed ? durationMs : null, isVoice, waveform: null };
}
