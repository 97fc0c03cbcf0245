import type { EarlyAnswer } from './browser.ts';

/**
 * Asks for the messages at the address while the scripts of the page are still on their way. It is a script of its own, with
 * nothing of theirs in it, so that it is there first. What it knows of them are keys of the browser's stores.
 */
function askEarly(): EarlyAnswer | undefined {
  const tokens = localStorage.getItem('parley:tokens');
  const here = location.pathname === '/app' ? (localStorage.getItem('parley:place') ?? '') : location.pathname;
  const [, channelId] = /^\/app\/(?:s\/[^/]+|dm)\/([\da-f-]{36})$/.exec(here) ?? [];
  // Who was reading older messages is shown those.
  if (!tokens || !channelId || sessionStorage.getItem(`parley:scroll:${channelId}`) !== null) return undefined;
  const authorization = `Bearer ${JSON.parse(tokens).accessToken}`;
  const url = `${location.origin}/api/channels/${channelId}/messages?limit=50`;
  const answer = fetch(url, { headers: { authorization } });
  // Whoever asks for it is told.
  answer.catch(() => {});
  return { url, authorization, answer };
}

window.parleyEarly = askEarly();
