/** The page of the web client and the files of its parts. Put in as this is bundled. */
declare const SHELL: { version: string; files: string[] };

const prefix = 'parley-shell-';
const own = `${prefix}${SHELL.version}`;
const page = '/app';
/** What is answered for this long is shown; then the page starts from here. */
const patienceMs = 4000;
/** A proxy says that the server is away. */
const away = new Set([502, 503, 504]);
/** Below /app, and no page of the web client. */
const otherPages = new Set(['/app/stage', '/app/reset-password']);

/**
 * Keeps the page and its files, which are the same for everyone. Nothing else is ever kept: no answer of the API, no file
 * that somebody sent.
 */
export async function keepShell(): Promise<void> {
  const answer = await fetch(page, { cache: 'no-cache', credentials: 'omit' });
  const text = await answer.clone().text();
  const assets = SHELL.files.filter((file) => file.startsWith('/app/assets/'));
  // While a new version is rolled out another node may have answered: its page starts with other files.
  if (!answer.ok || !assets.every((file) => text.includes(file))) throw new Error('The page is of another version.');
  const cache = await caches.open(own);
  await cache.addAll(SHELL.files);
  await cache.put(page, answer);
}

/** The same after it was dropped. */
export async function keepShellAgain(): Promise<void> {
  if (!(await keptHere(page))) await keepShell();
}

/** Drops what earlier versions kept, but for the last: pages of it that are open may still need its files. */
export async function dropOutdated(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== own);
  await Promise.all(names.slice(0, -1).map((name) => caches.delete(name)));
}

export async function dropShell(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(prefix));
  await Promise.all(names.map((name) => caches.delete(name)));
}

/** @returns undefined: it goes to the server as if there were no worker */
export function answerTo(request: Request): Promise<Response> | undefined {
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return undefined;
  if (request.mode === 'navigate') {
    return request.destination === 'document' && isPage(pathname) ? pageFor(request) : undefined;
  }
  const isFile = pathname.startsWith('/app/assets/') || SHELL.files.includes(pathname);
  return isFile ? fileFor(request, pathname) : undefined;
}

/** Whether the web client is shown at an address. */
export function isPage(pathname: string): boolean {
  if (otherPages.has(pathname) || pathname.includes('.')) return false;
  return pathname === page || (pathname.startsWith(`${page}/`) && !pathname.startsWith('/app/assets/'));
}

/** That of the server, so that a new version shows at once; without a connection the one that is kept. */
async function pageFor(request: Request): Promise<Response> {
  const kept = await keptHere(page);
  if (!kept) return fetch(request);
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, patienceMs));
  const answer = await Promise.race([fetch(request).catch(() => undefined), late]);
  return !answer || away.has(answer.status) ? kept : answer;
}

/** What this version keeps: that of the last has the same address, and is found first. */
const keptHere = (path: string): Promise<Response | undefined> => caches.match(path, { cacheName: own });

/** The names of assets contain hashes of what is in them: what any version keeps is right. */
async function fileFor(request: Request, pathname: string): Promise<Response> {
  const kept = await (pathname.startsWith('/app/assets/') ? caches.match(pathname) : keptHere(pathname));
  if (kept) return kept;
  const answer = await fetch(request);
  // What not everyone needs, such as a language.
  if (answer.ok && pathname.startsWith('/app/assets/') && (await caches.has(own))) {
    const cache = await caches.open(own);
    await cache.put(pathname, answer.clone());
  }
  return answer;
}
