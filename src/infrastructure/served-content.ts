import type { Readable } from 'node:stream';

/** Bytes from `start` to `end`, both included, as in HTTP. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Bytes that are given out over HTTP, whole or in part. */
export interface ServedContent {
  size: number;
  /** What stands for these bytes and no others; without quotes. */
  etag: string;
  /** What the client is to do with them: content type, disposition, caching. */
  headers: Record<string, string | null>;
  /** Begins to read only when the stream is read. */
  read(range?: ByteRange): Readable;
}

/**
 * Headers of what users have uploaded: should a browser take it for a page, that page may do nothing. Clients on other
 * origins may show it: whoever has the link may have the file.
 */
export const uploadHeaders = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** Whether a browser may show it in the place of a page: pictures, sound, video and plain text; nothing that can hold a script. */
export function mayShowInline(contentType: string): boolean {
  return /^((image|audio|video)\/(?!.*svg)[\w.+-]+|text\/plain)(;|$)/.test(contentType);
}

/**
 * A Content-Disposition that keeps any name (RFC 6266): its ASCII part for old clients, all of it for the others, and
 * nothing in it that could end the header or the value.
 */
export function contentDisposition(type: 'inline' | 'attachment', name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${type}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
