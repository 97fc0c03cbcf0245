// nodes: own

import { expect } from 'chai';
import { answerHeaders, requestHeaders, webSocketRequestHeaders } from '../../src/features/apps/proxy-headers.ts';

const address = '198.51.100.77';

/** By these the proxies of this world tell whose request it is. */
const tellers = [
  ...[
    'forwarded',
    'via',
    'from',
    'referer',
    'x-forwarded-for',
    'x-forwarded',
    'x-forwarded-host',
    'x-forwarded-server',
  ],
  ...['x-original-forwarded-for', 'x-original-host', 'x-originating-ip', 'x-original-url', 'x-rewrite-url'],
  ...[
    'x-real-ip',
    'x-client-ip',
    'client-ip',
    'true-client-ip',
    'x-true-client-ip',
    'x-cluster-client-ip',
    'remote-addr',
  ],
  ...['x-remote-ip', 'x-remote-addr', 'x-proxyuser-ip', 'wl-proxy-client-ip', 'proxy-client-ip', 'z-forwarded-for'],
  ...[
    'cf-connecting-ip',
    'cf-connecting-ipv6',
    'cf-pseudo-ipv4',
    'fastly-client-ip',
    'fly-client-ip',
    'ali-cdn-real-ip',
  ],
  ...[
    'x-envoy-external-address',
    'x-appengine-user-ip',
    'x-azure-clientip',
    'x-azure-socketip',
    'x-nf-client-connection-ip',
  ],
  ...['cloudfront-viewer-address', 'akamai-origin-hop', 'x-akamai-client-ip', 'x-coming-from', 'x-host', 'baggage'],
  ...['authorization', 'cookie', 'cookie2', 'proxy-authorization', 'x-api-key', 'x-auth-token', 'x-amz-cf-id'],
];

/** By these an answer steers the browser, in the name of this site, or a proxy in front of it. */
const steering = [
  ...['x-accel-redirect', 'x-accel-buffering', 'x-accel-expires', 'x-accel-limit-rate', 'x-accel-charset'],
  ...['x-sendfile', 'x-lighttpd-send-file', 'x-lighttpd-send-tempfile', 'x-reproxy-url', 'x-reproxy-file'],
  ...['x-litespeed-location', 'x-litespeed-cache-control', 'surrogate-control', 'cdn-cache-control', 'surrogate-key'],
  ...['set-cookie', 'set-login', 'refresh', 'link', 'accept-ch', 'critical-ch', 'clear-site-data', 'location'],
  ...['content-location', 'content-security-policy', 'x-frame-options', 'strict-transport-security', 'alt-svc', 'nel'],
  ...[
    'report-to',
    'reporting-endpoints',
    'origin-agent-cluster',
    'origin-trial',
    'permissions-policy',
    'document-policy',
  ],
  ...['service-worker-allowed', 'speculation-rules', 'supports-loading-mode', 'no-vary-search', 'use-as-dictionary'],
  ...[
    'access-control-allow-origin',
    'access-control-allow-credentials',
    'cross-origin-opener-policy',
    'www-authenticate',
  ],
  ...[
    'x-content-type-options',
    'x-xss-protection',
    'x-dns-prefetch-control',
    'sourcemap',
    'x-sourcemap',
    'x-request-id',
  ],
  ...[
    'timing-allow-origin',
    'referrer-policy',
    'observe-browsing-topics',
    'sec-session-registration',
    'activate-storage-access',
  ],
  ...[
    'proxy-authenticate',
    'proxy-status',
    'connection',
    'keep-alive',
    'transfer-encoding',
    'trailer',
    'upgrade',
    'via',
  ],
];

const all = (names: string[], value: string) => Object.fromEntries(names.map((name) => [name, value]));

describe('headers of the app proxy', () => {
  it('tell an app neither the address nor the credentials of its caller', () => {
    for (const headers of [
      requestHeaders(all(tellers, address), 'id'),
      webSocketRequestHeaders(all(tellers, address), 'id'),
    ]) {
      expect(JSON.stringify(headers)).not.to.contain(address);
    }
  });

  it('let no answer steer the browser or a proxy', () => {
    expect(answerHeaders(all(steering, 'x'))).to.deep.equal({});
  });

  it('pass only if they are known to be harmless, or are the app’s own', () => {
    const unknown = { 'x-of-tomorrow': '1', 'tomorrow-client-ip': address };
    expect(requestHeaders(unknown, 'id')).to.deep.equal({ 'cdn-loop': 'id' });
    expect(answerHeaders(unknown)).to.deep.equal({});
    const own = { 'X-App-Version': '7', 'content-type': 'text/plain', etag: '"e"', 'cache-control': 'no-cache' };
    expect(answerHeaders(own)).to.deep.equal({
      'x-app-version': '7',
      'content-type': 'text/plain',
      etag: '"e"',
      'cache-control': 'no-cache',
    });
    const asked = { accept: '*/*', range: 'bytes=0-1', 'last-event-id': '7', 'x-app-key': 'k' };
    expect(requestHeaders(asked, 'id')).to.deep.equal({ ...asked, 'cdn-loop': 'id' });
  });

  it('stay here if they are for this hop alone', () => {
    const hop = { connection: 'keep-alive, X-App-Hop', 'x-app-hop': '1', 'x-app-kept': '2' };
    expect(answerHeaders(hop)).to.deep.equal({ 'x-app-kept': '2' });
  });
});
