type Given = NodeJS.Dict<string | string[]>;
type Headers = Record<string, string | string[]>;

/**
 * The headers that pass, in either direction; all others are dropped (contract §8). A blocklist would have to know
 * each header in which some proxy sends the address of a client, and each that makes one serve a file of its own.
 */
const content = [
  ...['content-type', 'content-length', 'content-encoding', 'content-language', 'content-disposition'],
  ...['content-range', 'content-digest', 'repr-digest', 'digest', 'cache-control', 'pragma', 'etag', 'last-modified'],
];

/** Protocols and libraries on top of HTTP; these mean nothing to browsers or proxies. */
const dialects = [
  ...['x-inertia', 'x-inertia-version', 'x-grpc-web', 'grpc-encoding', 'grpc-accept-encoding', 'grpc-timeout'],
  ...['tus-resumable', 'upload-length', 'upload-offset', 'upload-metadata', 'upload-concat', 'upload-defer-length'],
  ...['hx-request', 'hx-boosted', 'hx-target', 'hx-trigger', 'hx-trigger-name', 'hx-prompt', 'turbo-frame'],
];

const requestNames = new Set([
  ...[...content, ...dialects],
  ...['accept', 'accept-charset', 'accept-encoding', 'accept-language', 'user-agent', 'origin', 'last-event-id'],
  ...['range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range', 'if'],
  ...['prefer', 'priority', 'save-data', 'dnt', 'sec-gpc', 'upgrade-insecure-requests', 'idempotency-key'],
  ...['x-requested-with', 'x-csrf-token', 'x-csrftoken', 'x-xsrf-token', 'x-http-method-override'],
  ...['depth', 'overwrite', 'timeout', 'lock-token', 'sec-fetch-dest', 'sec-fetch-mode', 'sec-fetch-site'],
  ...['sec-fetch-user', 'want-content-digest', 'want-repr-digest'],
]);

const answerNames = new Set([
  ...[...content, ...dialects],
  ...['accept-ranges', 'accept-post', 'accept-patch', 'allow', 'age', 'expires', 'vary', 'retry-after', 'dav'],
  ...['lock-token', 'ms-author-via', 'preference-applied', 'deprecation', 'sunset', 'grpc-status', 'grpc-message'],
  ...['ratelimit', 'ratelimit-policy', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'],
  ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-total', 'x-total-count', 'x-total-pages'],
  ...['x-page', 'x-per-page', 'x-next-page', 'x-prev-page', 'x-has-more', 'x-inertia-location'],
  ...['hx-location', 'hx-push-url', 'hx-redirect', 'hx-refresh', 'hx-replace-url', 'hx-reswap', 'hx-retarget'],
  ...[
    'hx-reselect',
    'hx-trigger-after-settle',
    'hx-trigger-after-swap',
    'tus-version',
    'tus-extension',
    'tus-max-size',
  ],
  'upload-expires',
]);

const webSocketRequestNames = new Set([
  ...['accept-language', 'user-agent', 'origin'],
  ...['sec-websocket-key', 'sec-websocket-version', 'sec-websocket-protocol', 'sec-websocket-extensions'],
]);
const webSocketAnswerNames = new Set(['sec-websocket-accept', 'sec-websocket-protocol', 'sec-websocket-extensions']);

/** The prefix of an app's own headers, by agreement: no browser or proxy knows such a header. */
const appsOwn = 'x-app-';
/** The proxies that a request passed (RFC 8586); none of them may remove it. */
const loopHeader = 'cdn-loop';

/** The headers for an app, marked with its id; without the caller's credentials and address. */
export function requestHeaders(headers: Given, appId: string): Headers {
  return { ...kept(headers, requestNames), ...loopMark(headers, appId) };
}

/** The same for a WebSocket. */
export function webSocketRequestHeaders(headers: Given, appId: string): Headers {
  const asked = kept(headers, webSocketRequestNames);
  return { ...asked, ...loopMark(headers, appId), connection: 'Upgrade', upgrade: 'websocket' };
}

/** Whether a request went through the app before: its address leads back here. */
export function cameRound(headers: Given, appId: string): boolean {
  return [headers[loopHeader] ?? []].flat().join().includes(appId);
}

/** The response's headers without those that would act for this site. */
export const answerHeaders = (headers: Given): Headers => kept(headers, answerNames);

/** The headers of an accepted WebSocket. */
export function webSocketAnswerHeaders(headers: Given): Headers {
  return { ...kept(headers, webSocketAnswerNames), connection: 'Upgrade', upgrade: 'websocket' };
}

function loopMark(headers: Given, appId: string): Headers {
  return { [loopHeader]: [...[headers[loopHeader] ?? []].flat(), appId].join(', ') };
}

/** Headers that `Connection` names are for this hop alone (RFC 9110 §7.6.1), even if `names` has them. */
function kept(headers: Given, names: ReadonlySet<string>): Headers {
  const forThisHop = String(headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const result: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    const isListed = names.has(lower) || lower.startsWith(appsOwn);
    if (value !== undefined && isListed && !forThisHop.includes(lower)) result[lower] = value;
  }
  return result;
}
