import { ownAttention } from './attention.ts';
import { ownDevice } from './device.ts';
import { ownMicrophone } from './microphone.ts';
import type { Shown } from './state/look.ts';
import type { Router } from './state/router.ts';
import type { AlertSystem, Surroundings } from './state/surroundings.ts';
import { reporting } from './transport.ts';

// What an app asks for comes in a query. Here the path says what is shown: in it, the question survives signing in.
if (/^\/app\/(?:authorize|device)$/.test(location.pathname) && location.search !== '') {
  const asked = encodeURIComponent(location.search.slice(1));
  history.replaceState(null, '', `${location.pathname}/${asked}`);
}

/** Without a theme the device decides, also about the contrast. @returns shows the page as someone wants it */
function ownLook(): (shown: Shown) => void {
  const moreContrast = matchMedia('(prefers-contrast: more)');
  let look: Shown | null = null;
  const put = () => {
    const { dataset } = document.documentElement;
    const theme = look?.theme ?? (moreContrast.matches ? 'contrast' : null);
    Object.assign(dataset, look);
    if (theme) dataset.theme = theme;
    else delete dataset.theme;
  };
  moreContrast.addEventListener('change', put);
  return (shown) => {
    look = shown;
    put();
  };
}

/** What was asked for before the scripts of the page were there (early.ts). */
export interface EarlyAnswer {
  url: string;
  authorization: string;
  answer: Promise<Response>;
}

declare global {
  interface Window {
    parleyEarly?: EarlyAnswer | undefined;
  }
}

/** The browser that shows this page. */
export const browser: Surroundings = {
  origin: location.origin,
  fetch: fetchOrTake,
  local: localStorage,
  tab: sessionStorage,
  onStored(listener) {
    const onStorage = ({ key, newValue, storageArea }: StorageEvent) => {
      if (key !== null && storageArea === localStorage) listener(key, newValue);
    };
    addEventListener('storage', onStorage);
    return () => removeEventListener('storage', onStorage);
  },
  // Browsers have locks for pages of https and of this machine only.
  alone: (name, work) => ('locks' in navigator ? navigator.locks.request(name, work) : work()),
  path: () => location.pathname,
  setPath(path, replace) {
    const isSamePlace = replace && location.pathname.startsWith(`${path}/`);
    // Behind an open dialog nothing can have the focus, so the new page would not get it.
    for (const dialog of document.querySelectorAll<HTMLDialogElement>('dialog[open]')) {
      if (!isSamePlace) dialog.close();
    }
    if (replace) history.replaceState(null, '', path);
    else history.pushState(null, '', path);
  },
  onMoved(listener) {
    addEventListener('popstate', listener);
    return () => removeEventListener('popstate', listener);
  },
  languages: navigator.languages,
  timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  setLanguage(language, direction) {
    document.documentElement.lang = language;
    document.documentElement.dir = direction;
  },
  setLook: ownLook(),
  setAccent(color) {
    const { style } = document.documentElement;
    if (color === null) style.removeProperty('--seed');
    else style.setProperty('--seed', color);
  },
  setTitle(text) {
    document.title = text;
  },
  copy: (text) => navigator.clipboard.writeText(text),
  attention: ownAttention(),
  isTouched,
  isRoomy: () => matchMedia('(min-width: 1000px)').matches,
  alerts: alertSystem(),
  device: ownDevice(),
  microphone: ownMicrophone(),
  transport: reporting,
  guard(isOn) {
    if (isOn) addEventListener('beforeunload', askBefore);
    else removeEventListener('beforeunload', askBefore);
  },
};

const askBefore = (event: BeforeUnloadEvent) => event.preventDefault();

/** Makes a request, unless it was made before: then its answer is taken, once. */
function fetchOrTake(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const early = window.parleyEarly;
  const authorization = new Headers(init?.headers).get('authorization');
  if (!early || init?.method !== 'GET' || input !== early.url || authorization !== early.authorization) {
    return fetch(input, init);
  }
  window.parleyEarly = undefined;
  return early.answer;
}

function alertSystem(): AlertSystem {
  return {
    isSupported: () => 'Notification' in globalThis && matchMedia('(hover: hover)').matches,
    isAllowed: () => Notification.permission === 'granted',
    ask: async () => (await Notification.requestPermission()) === 'granted',
    isInFront: () => document.hasFocus(),
    show({ title, body, tag }, onOpen) {
      const shown = new Notification(title, { body, tag, icon: '/app/icon.svg' });
      shown.onclick = () => {
        window.focus();
        onOpen();
        shown.close();
      };
    },
  };
}

/** Whether this is a phone or the like, which probably has an on-screen keyboard. */
export function isTouched(): boolean {
  return matchMedia('(hover: none) and (pointer: coarse)').matches;
}

/** Whether lists and the selected item are shown side by side. */
export const isWide = (): boolean => matchMedia('(min-width: 700px)').matches;

/** Loads the page anew, unless the server cannot be reached: then there would be no page at all. */
export async function reloadIfReachable(): Promise<void> {
  const answer = await fetch(location.pathname, { cache: 'no-store' }).catch(() => null);
  if (answer?.ok) location.reload();
}

/**
 * Fetches the other parts of the page, one after the other: they are there without a connection, and after an update. Not by
 * links: to Firefox those are of no kind that the page's policy allows.
 */
export async function fetchParts(): Promise<void> {
  const list = document.getElementById('parts');
  if (!(list instanceof HTMLTemplateElement)) return;
  for (const link of list.content.querySelectorAll('link')) {
    const part = fetch(link.getAttribute('href') ?? '', { priority: 'low' });
    // To the end: what is broken off is not kept.
    await part.then((answer) => answer.arrayBuffer()).catch(() => {});
  }
}

/** Makes plain left clicks on links within the app navigate without loading a page. */
export function followLinks(event: MouseEvent, navigate: Router['navigate']): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || link.target || link.origin !== location.origin || !link.pathname.startsWith('/app')) return;
  event.preventDefault();
  navigate(link.pathname);
}

/** Has the browser save a file. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has opened the URL by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
