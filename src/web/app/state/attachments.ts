import type { Message } from '../../../client/index.ts';
import { parley } from './client.ts';

export type Attachment = Message['attachments'][number];

interface Link {
  url: Promise<string>;
  expiresAt: number;
}

const links = new Map<string, Link>();
/** A link that expires soon is fetched again. */
const marginMs = 60_000;

/** A URL with which the browser itself can show or fetch a file, for some minutes. */
export function linkTo({ id }: Attachment): Promise<string> {
  const known = links.get(id);
  if (known && known.expiresAt > Date.now()) return known.url;
  const answer = parley.rest('GET /api/attachments/:id/media-url', { id });
  const link = { url: answer.then(({ url }) => url), expiresAt: Date.now() + marginMs };
  links.set(id, link);
  answer.then(
    ({ expiresAt }) => {
      link.expiresAt = Date.parse(expiresAt) - marginMs;
    },
    () => links.delete(id),
  );
  return link.url;
}

export function upload(file: File): Promise<Attachment> {
  const form = new FormData();
  form.set('file', file, file.name);
  return parley.rest('POST /api/media/upload', { form });
}

export function sizeOf(bytes: number): string {
  const units = ['B', 'kB', 'MB'];
  const step = bytes < 1000 ? 0 : bytes < 1_000_000 ? 1 : 2;
  return `${(bytes / 1000 ** step).toFixed(step === 2 ? 1 : 0)} ${units[step]}`;
}
