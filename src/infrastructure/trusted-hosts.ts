import { Agent } from 'undici';
import { Names } from './names.ts';

/** For hosts that the operator configured: they may have any address, and their lookups block nothing else. */
const names = new Names();
const connectTimeoutMs = 10_000;

/** An agent for requests to hosts that the operator named. */
export function trustedAgent({ connectTimeoutMs: timeout = connectTimeoutMs, ...options }: TrustedOptions = {}): Agent {
  return new Agent({ ...options, connect: { timeout, lookup: names.lookup } });
}

interface TrustedOptions extends Omit<Agent.Options, 'connect'> {
  connectTimeoutMs?: number;
}

const shared = trustedAgent();

/** `fetch` for hosts that the operator named. */
export const trustedFetch = (url: string | URL, options: RequestInit): Promise<Response> =>
  fetch(url, { ...options, dispatcher: shared });
