import type { Readable } from 'node:stream';
import { withoutDirections } from '../contract/unicode/visible.ts';

/** Bytes from `start` to `end`, both inclusive, as in HTTP. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Bytes served over HTTP, whole or in part. */
export interface ServedContent {
  size: number;
  /** Identifies exactly these bytes; without quotes. */
  etag: string;
  /** Further headers: content type, disposition, caching. */
  headers: Record<string, string | null>;
  /** Starts reading only when the stream is read. */
  read(range?: ByteRange): Readable;
  /** Where the client gets them instead, for some seconds. */
  location?: string;
}

/**
 * Headers for users' uploads: if a browser opens one as a page, that page can do nothing. Clients on other origins may show
 * it: the link grants access.
 */
export const uploadHeaders = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/**
 * The same for a PDF file that is shown inline: the browser's own viewer, a plugin by its own account, runs in no sandbox. What
 * is no PDF file is not shown, since nothing here is sniffed, and no page of another site shows it in a frame.
 */
export const pdfHeaders = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'self'",
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** Whether a browser may show it inline: images, audio, video and plain text; nothing that can contain a script. */
export function mayShowInline(contentType: string): boolean {
  return /^((image|audio|video)\/(?!.*svg)[\w.+-]+|text\/plain)(;|$)/.test(contentType);
}

/**
 * A Content-Disposition that keeps any name (RFC 6266): its ASCII part for old clients, all of it for others, without
 * characters that could end the header or the value, or show another extension than the saved file has.
 */
export function contentDisposition(type: 'inline' | 'attachment', given: string): string {
  const name = withoutDirections(given);
  const ascii = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${type}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
