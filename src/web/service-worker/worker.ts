import { clicked, forgetUser, pushed } from './pushes.ts';
import { answerTo, dropOutdated, dropShell, keepShell, keepShellAgain } from './shell.ts';

declare const self: ServiceWorkerGlobalScope;

// A new version takes over at once: pages come from the server wherever there is one, and so are never older than it.
self.addEventListener('install', (event) => event.waitUntil(keepShell().then(() => self.skipWaiting())));
self.addEventListener('activate', (event) => event.waitUntil(dropOutdated().then(() => self.clients.claim())));
self.addEventListener('fetch', (event) => {
  const answer = answerTo(event.request);
  if (answer) event.respondWith(answer);
});
self.addEventListener('push', (event) => event.waitUntil(pushed(event.data)));
self.addEventListener('notificationclick', (event) => event.waitUntil(clicked(event.notification)));
self.addEventListener('message', (event) => {
  // Only pages of this site can send one.
  if (event.data === 'signed-in') event.waitUntil(keepShellAgain());
  if (event.data === 'signed-out') event.waitUntil(Promise.all([forgetUser(), dropShell()]));
});
