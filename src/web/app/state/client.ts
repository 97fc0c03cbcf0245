import { signal } from '@preact/signals';
import { type AuthAnswer, type ConnectionState, type OwnUser, Parley, ParleyError } from '../../../client/index.ts';
import { forgetKept } from './kept.ts';

const meKey = 'parley:me';
/** The user whose session was ended from outside: they, and nobody else, may come back to what they left here. */
const absentKey = 'parley:absent';

/** The one client of this page; its tokens and outbox outlive the page. */
export const parley = new Parley({ store: localStorage });
/** The signed-in user, as last known: the page renders before the server has answered. */
export const me = signal<OwnUser | null>(parley.signedIn ? kept() : null);
export const signedIn = signal(parley.signedIn);
export const connection = signal<ConnectionState>(parley.state);
/** Why the sign-in page is shown, when nobody asked for it. */
export const signedOutReason = signal<string | null>(null);

parley.on('state', (state) => {
  connection.value = state;
});
parley.on('signed-out', (error) => {
  if (me.value) localStorage.setItem(absentKey, me.value.id);
  forget();
  signedOutReason.value = error.code === 'SESSION_REVOKED' ? 'This session was ended. Sign in again.' : error.message;
});
parley.on('user:updated', ({ user }) => {
  if (me.value?.id === user.id) remember({ ...me.value, ...user });
});
parley.on('membership:updated', (membership) => {
  if (me.value) remember({ ...me.value, membership, status: membership.status });
});

function kept(): OwnUser | null {
  const text = localStorage.getItem(meKey);
  return text === null ? null : JSON.parse(text);
}

export function remember(user: OwnUser): void {
  me.value = user;
  localStorage.setItem(meKey, JSON.stringify(user));
}

function forget(): void {
  localStorage.removeItem(meKey);
  me.value = null;
  signedIn.value = false;
}

// Somebody else signed in in another tab: what this page shows is not theirs, and messages sent here would be.
addEventListener('storage', ({ key, newValue }) => {
  if (key !== meKey || newValue === null) return;
  const { id }: OwnUser = JSON.parse(newValue);
  if (id !== me.value?.id) location.reload();
});

/** Whether this browser is somebody else's until now: signed in, or gone with things left here to come back to. */
export function belongsToOther({ id }: Pick<OwnUser, 'id'>): boolean {
  const before = me.value?.id ?? localStorage.getItem(absentKey);
  return before !== null && before !== id;
}

/** Adopts a sign-in, and connects. */
export function enter({ user }: AuthAnswer): void {
  const isOther = belongsToOther(user);
  localStorage.removeItem(absentKey);
  remember(user);
  if (isOther) {
    forgetKept();
    // The page's memory still belongs to the other user.
    location.reload();
    return;
  }
  signedOutReason.value = null;
  signedIn.value = true;
  parley.connect();
}

/** Connects with the tokens of the last session. */
export async function resume(): Promise<void> {
  if (!parley.signedIn) return;
  parley.connect();
  try {
    remember(await parley.rest('GET /api/auth/me'));
  } catch (error) {
    if (error instanceof ParleyError && !error.isPassing) return;
    onceBack(() => void resume());
  }
}

/** Runs something once there is a connection again. @returns cancels it */
export const onceBack = (work: () => void): (() => void) => once(({ status }) => status !== 'offline', work);

/** Runs something once all further events are received. @returns cancels it */
export const onceLive = (work: () => void): (() => void) => once(({ status }) => status === 'live', work);

function once(comes: (state: ConnectionState) => boolean, work: () => void): () => void {
  const off = parley.on('state', (state) => {
    if (!comes(state)) return;
    off();
    work();
  });
  return off;
}

export async function leave(): Promise<void> {
  forget();
  await parley.signOut();
  forgetKept();
  // Nothing of this user stays in the page's memory.
  location.assign('/app/login');
}

export const can = (capability: string): boolean => me.value?.membership.capabilities.includes(capability) ?? false;

/** One sentence for the user. */
export function sentence(error: unknown): string {
  if (error instanceof ParleyError && error.code === 'NETWORK') return 'The server cannot be reached. Try again.';
  return error instanceof Error ? error.message : 'That did not work.';
}
