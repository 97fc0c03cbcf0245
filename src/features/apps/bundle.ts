import { AppError } from '../../contract/errors.ts';

/** A file of an app, its bytes already in the store. */
export interface BundleFile {
  path: string;
  blobId: string;
  size: number;
}

/** Limits on the files of an app (contract §13). */
export interface BundleLimits {
  entries: number;
  bytes: number;
}

const maxPathBytes = 1024;

/** @param reason a sentence for the publisher */
export function badBundle(reason: string, cause?: unknown): AppError {
  return new AppError('BUNDLE_INVALID', { message: reason, cause });
}

/**
 * Checks the name of an entry: it must stay inside the bundle, however it is interpreted.
 * @throws AppError BUNDLE_INVALID
 */
export function requireInnerPath(name: string): void {
  const shown = JSON.stringify(name.slice(0, 100));
  const segments = name.split('/');
  const outside = segments.some((segment) => segment === '' || segment === '.' || segment === '..');
  const encoded = /%(2e|2f|5c|00)/i.test(name);
  if (outside || encoded || name.includes('\\') || /^[a-z]:/i.test(name)) {
    throw badBundle(`The entry ${shown} does not stay inside the bundle.`);
  }
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) throw badBundle(`The name of the entry ${shown} is no text.`);
  if (Buffer.byteLength(name) > maxPathBytes) throw badBundle(`The name of the entry ${shown} is too long.`);
}

/** @throws AppError BUNDLE_INVALID when it is too large, or has a path twice */
export function requireSound(files: { path: string; size: number }[], limits: BundleLimits): void {
  if (files.length > limits.entries) throw badBundle(`An app can have at most ${limits.entries} files.`);
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  if (bytes > limits.bytes) throw badBundle(`The files of an app can have at most ${limits.bytes} bytes together.`);
  const paths = new Set(files.map((file) => file.path));
  if (paths.size < files.length) throw badBundle('Two entries have the same name.');
  for (const { path } of files) {
    for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
      if (paths.has(path.slice(0, slash))) throw badBundle(`${JSON.stringify(path)} lies in something that is a file.`);
    }
  }
}

/** @throws AppError BUNDLE_INVALID when the app's own address would lead to nothing */
export function requireIndex(files: BundleFile[]): void {
  if (files.some(({ path }) => path === 'index.html')) return;
  throw badBundle(
    'An app begins with its index.html: put one at the top of the folder or ZIP file and publish it again.',
  );
}

/** Many people zip the folder itself: if everything is in one folder that has the index, that folder is the root. */
export function withoutWrapper(files: BundleFile[]): BundleFile[] {
  const top = files[0]?.path.split('/')[0];
  const paths = new Set(files.map((file) => file.path));
  if (paths.has('index.html') || !paths.has(`${top}/index.html`)) return files;
  if (!files.every((file) => file.path.startsWith(`${top}/`))) return files;
  return files.map((file) => ({ ...file, path: file.path.slice(`${top}/`.length) }));
}
