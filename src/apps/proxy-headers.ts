type Given = NodeJS.Dict<string | string[]>;

/** Hop-by-hop headers (RFC 9110). */
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

/** What the app must not learn about the caller and the proxies before us. */
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

/** What an app must not set in the name of this site. */
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

/** The proxies that a request passed (RFC 8586); none of them may remove it. */
const loopHeader = 'cdn-loop';

/** The request's headers without the caller's credentials and address, marked with the app that it goes to. */
export function requestHeaders(headers: Given, appId: string): Record<string, string | string[]> {
  const passed = [headers[loopHeader] ?? []].flat();
  return { ...kept(headers, dropped.request, /^x-forwarded-|^cf-/), [loopHeader]: [...passed, appId].join(', ') };
}

/** Whether a request went through the app before: its address leads back here. */
export function cameRound(headers: Given, appId: string): boolean {
  return [headers[loopHeader] ?? []].flat().join().includes(appId);
}

/** The response's headers without those that would act for this site. */
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
