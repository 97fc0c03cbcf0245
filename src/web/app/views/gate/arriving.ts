import type { AuthAnswer } from '../../../../client/index.ts';
import { enter } from '../../state/client.ts';
import { go, place, placeOf } from '../../state/router.ts';

const nextKey = 'parley:next';
const begunKey = 'parley:begun';
const isGate = (name: string): boolean =>
  ['home', 'login', 'register', 'code', 'forgot', 'oauth-callback', 'verify-email'].includes(name);

/** Whoever follows an invitation and creates an account first still wants to get there. */
export function rememberNext(): void {
  if (!isGate(place.peek().name)) sessionStorage.setItem(nextKey, location.pathname);
}

/** The code of the invitation that one came with. */
export function invitation(): string | null {
  const wanted = placeOf(sessionStorage.getItem(nextKey) ?? '/app');
  const from = isGate(place.value.name) ? wanted : place.value;
  return from.name === 'invite' ? from.code : null;
}

/** Where one wanted to go before one had to sign in. */
export function takeNext(): string {
  const next = sessionStorage.getItem(nextKey);
  sessionStorage.removeItem(nextKey);
  return next ?? '/app';
}

/** Takes over a sign-in, and goes on to where one wanted to go. */
export function arrive(answer: AuthAnswer): void {
  const next = takeNext();
  // First, since the page may be loaded anew for somebody else.
  if (isGate(place.peek().name)) go(next, { replace: true });
  enter(answer);
}

/** Remembers that a sign-in with another service begins here. */
export function leaveForProvider(): void {
  sessionStorage.setItem(begunKey, 'yes');
}

/** Whether the sign-in that ends here began here: a link with tokens can come from anyone. */
export function cameFromProvider(): boolean {
  const begun = sessionStorage.getItem(begunKey);
  sessionStorage.removeItem(begunKey);
  return begun !== null;
}
