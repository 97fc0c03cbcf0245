import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { connection, onceLive, parley } from './client.ts';
import { loadNotifications } from './notifications.ts';
import { loadPeople } from './people.ts';
import { loadPreferences } from './preferences.ts';
import { reading } from './reading.ts';
import { place } from './router.ts';
import { loadChannels, loadOtherChannels, loadServers } from './servers.ts';
import { timelineOf } from './timeline.ts';

/** Whether the user's own events are received: they keep up to date what is read from then on. */
const isHearing = computed(() => connection.value.via === 'socket' || connection.value.status === 'live');
/** How long the lists wait for that. If it takes longer they are read at once, and again afterwards. */
const patienceMs = 5000;

/** Whether the conversation at the address, if any, has been loaded, or cannot be for now. */
const isSettled = computed(() => {
  const here = place.value;
  if (!('channelId' in here)) return true;
  const { loaded, error, gone } = timelineOf(here.channelId, here.threadId);
  return loaded.value || error.value !== null || gone.value || timelineOf(here.channelId).gone.value;
});

/** Resolves when the messages at the address are no longer waiting for the network. */
export const conversationShown = (): Promise<void> => once(isSettled);

/** Reads all lists besides the conversation, and again when something was missed. @returns stops it */
export function keepLists(): () => void {
  let forget = () => {};
  const again = () => {
    end();
    end = reading(loadAgain);
  };
  const first = async () => {
    await conversationShown();
    forget();
    if (!isHearing.peek()) forget = onceLive(again);
    await loadAll();
  };
  const hearing = soon(isHearing);
  let end = reading(() => hearing.then(first));
  const off = parley.on('reload', again);
  return () => {
    end();
    off();
    forget();
  };
}

/** Whether the lists are loaded: before that, empty means nothing. */
export const listsRead = signal(false);

/** What is visible comes first. */
async function loadAll(): Promise<void> {
  await Promise.all([loadServers(), loadPeople()]);
  await Promise.all([loadNotifications(), loadPreferences()]);
  listsRead.value = true;
  await loadOtherChannels();
}

async function loadAgain(): Promise<void> {
  const here = place.peek();
  await loadAll();
  if ('serverId' in here && here.serverId) await loadChannels(here.serverId);
}

function once(condition: ReadonlySignal<boolean>): Promise<void> {
  return new Promise((resolve) => {
    const off = condition.subscribe((holds) => {
      if (!holds) return;
      resolve();
      // It may be true already, before there is something to end.
      queueMicrotask(() => off());
    });
  });
}

const soon = (condition: ReadonlySignal<boolean>): Promise<void> =>
  Promise.race([once(condition), new Promise<void>((resolve) => setTimeout(resolve, patienceMs))]);
