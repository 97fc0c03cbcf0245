import type { Device } from './state/surroundings.ts';
import { Failure } from './state/toasts.ts';

/** The one script that pages may have run beside them (Trusted Types). */
const workerUrl = '/app/sw.js';
const scope = '/app';
/** Told to the window once the page shows what was asked for. */
export const calmEvent = 'parley:calm';
/** Without a connection that never comes. */
const patienceMs = 10_000;

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(text: string): string },
  ): { createScriptURL(text: string): string };
}

declare global {
  interface Window {
    /** Not in every browser. */
    trustedTypes?: TrustedTypes;
  }
}

/** @returns undefined in browsers without service workers, and on pages that are not secure */
export function ownDevice(): Device | undefined {
  if (!('serviceWorker' in navigator)) return undefined;
  const { serviceWorker } = navigator;
  // Without a worker pages work as ever: it may be forbidden, or the server on its way.
  const registered: Registered = calm().then(() => register(serviceWorker).catch(() => undefined));
  // Browsers look for a new version as a page is loaded; this one may stay open for weeks.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void registered.then((found) => found?.update()).catch(() => {});
  });
  return {
    ...pushing(registered),
    onOpen(listener) {
      const onMessage = ({ data }: MessageEvent) => {
        if (data?.type === 'open' && typeof data.path === 'string' && data.path.startsWith('/app')) listener(data.path);
      };
      serviceWorker.addEventListener('message', onMessage);
      return () => serviceWorker.removeEventListener('message', onMessage);
    },
    onUpdated(listener) {
      const isFirst = !serviceWorker.controller;
      const onChange = () => {
        if (!isFirst) listener();
      };
      serviceWorker.addEventListener('controllerchange', onChange);
      return () => serviceWorker.removeEventListener('controllerchange', onChange);
    },
    signedIn: () => void registered.then((found) => found?.active?.postMessage('signed-in')),
    async signedOut() {
      const found = await registered;
      navigator.clearAppBadge?.().catch(() => {});
      await (await found?.pushManager?.getSubscription())?.unsubscribe();
      found?.active?.postMessage('signed-out');
    },
  };
}

/** The worker fetches all parts of the page: on a slow line what is to be shown comes first. */
function calm(): Promise<void> {
  return new Promise((resolve) => {
    addEventListener(calmEvent, () => resolve(), { once: true });
    setTimeout(resolve, patienceMs);
  });
}

function register(serviceWorker: ServiceWorkerContainer): Registered {
  const policy = window.trustedTypes?.createPolicy('parley-worker', { createScriptURL: () => workerUrl });
  return serviceWorker.register(policy?.createScriptURL('') ?? workerUrl, { scope, updateViaCache: 'none' });
}

type Registered = Promise<ServiceWorkerRegistration | undefined>;
type Pushing = 'canBePushed' | 'mayBePushed' | 'subscribe' | 'unsubscribe' | 'closeShown' | 'setBadge';

function pushing(registered: Registered): Pick<Device, Pushing> {
  const current = async () => (await registered)?.pushManager.getSubscription();
  return {
    canBePushed: () => 'PushManager' in window && 'Notification' in window,
    mayBePushed: () => 'Notification' in window && Notification.permission === 'granted',
    async subscribe(publicKey) {
      if ((await Notification.requestPermission()) !== 'granted') {
        throw new Failure('This browser does not let Parley show notifications. It has a setting for that.');
      }
      const found = (await registered) && (await navigator.serviceWorker.ready);
      if (!found) throw new Failure('This browser does not let Parley receive push notifications.');
      const before = await found.pushManager.getSubscription();
      // One that was made with a former key is no good any more.
      if (before && !isSignedBy(before, publicKey)) await before.unsubscribe();
      const options = { userVisibleOnly: true, applicationServerKey: bytesOf(publicKey) };
      return (await found.pushManager.subscribe(options)).toJSON();
    },
    async unsubscribe() {
      await (await current())?.unsubscribe();
    },
    async closeShown(isOver) {
      const shown = (await (await registered)?.getNotifications()) ?? [];
      for (const one of shown) if (isOver(one.tag)) one.close();
    },
    setBadge(count) {
      void navigator.setAppBadge?.(count).catch(() => {});
    },
  };
}

function isSignedBy(subscription: PushSubscription, publicKey: string): boolean {
  const key = subscription.options.applicationServerKey;
  return key !== null && String(new Uint8Array(key)) === String(bytesOf(publicKey));
}

/** @param text base64 for URLs */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}
