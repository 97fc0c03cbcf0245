import { signal } from '@preact/signals';
import type { ParleyError, Pending } from '../../../client/index.ts';
import { parley } from './client.ts';
import { keptKeys } from './kept.ts';
import { pathTo, place } from './router.ts';
import { tell } from './toasts.ts';

/** A message that the server refused, and the reason as a sentence. */
export interface Refused {
  pending: Pending;
  reason: string;
  code: ParleyError['code'];
}

/** Refused messages neither resent nor discarded, in the order written. All tabs show them, even after a reload. */
export const refused = signal<readonly Refused[]>(kept());

function kept(): Refused[] {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(keptKeys.refused));
  const all = keys.map((key): Refused => JSON.parse(localStorage.getItem(key) ?? '{}'));
  return all.sort((a, b) => a.pending.queuedAt - b.pending.queuedAt);
}

export function forgetRefused(nonce: string): void {
  localStorage.removeItem(keptKeys.refused + nonce);
  refused.value = refused.value.filter(({ pending }) => pending.nonce !== nonce);
}

/** Sends it once more: to where it was written, or to the channel of a thread that was deleted. */
export function sendAgain({ pending: { nonce, channelId, input }, code }: Refused): void {
  forgetRefused(nonce);
  // What it answers was deleted with its thread.
  const again = code === 'THREAD_NOT_FOUND' ? { ...input, threadId: null, replyToId: null } : input;
  // Whether it is refused once more is told by the channel.
  parley
    .channel(channelId)
    .send(again)
    .catch(() => {});
}

/** Users who withdrew it, or signed out, know. */
const isExpected = ({ code }: ParleyError) => code === 'CLOSED' || code === 'SIGNED_OUT';

parley.on('failed', ({ pending, error }) => {
  if (isExpected(error)) return;
  const one = { pending, reason: error.message, code: error.code };
  refused.value = [...refused.value, one];
  try {
    localStorage.setItem(keptKeys.refused + pending.nonce, JSON.stringify(one));
  } catch {
    // A full store only means that it does not outlive the page.
  }
  const { value } = place;
  const { channelId, input } = pending;
  // Beside a thread there is its channel.
  const isSeen =
    'channelId' in value && value.channelId === channelId && [value.threadId, null].includes(input.threadId ?? null);
  if (!isSeen) tell(`A message was not sent: ${error.message}`, 'bad', pathTo.notSent);
});

addEventListener('storage', ({ key }) => {
  if (key?.startsWith(keptKeys.refused)) refused.value = kept();
});
