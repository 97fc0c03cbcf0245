type Given = NodeJS.Dict<string | string[]>;

/** Headers that are about one connection and not about the message (RFC 9110). */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** What the app is not to learn of the caller and of the way here. */
const callersOwn = [
  'host',
  'authorization',
  'cookie',
  'cookie2',
  'referer',
  'forwarded',
  'via',
  'x-real-ip',
  'x-api-key',
  'expect',
];

/** What an app is not to say in the name of this site. */
const sitesOwn = [
  'set-cookie',
  'set-cookie2',
  'location',
  'content-security-policy',
  'content-security-policy-report-only',
  'x-frame-options',
  'strict-transport-security',
  'public-key-pins',
  'clear-site-data',
  'service-worker-allowed',
  'alt-svc',
  'nel',
  'report-to',
  'reporting-endpoints',
  'origin-agent-cluster',
  'www-authenticate',
  'x-request-id',
];

const dropped = {
  request: new Set([...hopByHop, ...callersOwn]),
  answer: new Set([...hopByHop, ...sitesOwn]),
};

/** Through which proxies a request came (RFC 8586); none of them may take it out. */
const loopHeader = 'cdn-loop';

/** The headers of a request without those that are the caller's own, and with the mark of the app that it goes to. */
export function requestHeaders(headers: Given, appId: string): Record<string, string | string[]> {
  const passed = [headers[loopHeader] ?? []].flat();
  return { ...kept(headers, dropped.request, /^x-forwarded-|^cf-/), [loopHeader]: [...passed, appId].join(', ') };
}

/** Whether a request went through the app before: its address leads back here. */
export function cameRound(headers: Given, appId: string): boolean {
  return [headers[loopHeader] ?? []].flat().join().includes(appId);
}

/** The headers of an answer without those that would speak for this site. */
export function answerHeaders(headers: Given): Record<string, string | string[] | null> {
  return kept(headers, dropped.answer, /^access-control-|^cross-origin-/);
}

function kept(headers: Given, names: ReadonlySet<string>, pattern: RegExp): Record<string, string | string[]> {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(',');
  const forThisHop = new Set(named.map((name) => name.trim()));
  const result: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (value !== undefined && !names.has(lower) && !forThisHop.has(lower) && !pattern.test(lower))
      result[lower] = value;
  }
  return result;
}
