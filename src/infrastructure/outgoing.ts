import type { LookupAddress } from 'node:dns';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import { AppError } from '../contract/errors.ts';
import { AtOnce } from './at-once.ts';
import { Exchange, type Exchanged, type ExchangeRequest } from './exchange.ts';
import { answerLookup, Names } from './names.ts';

const globalUnicast6 = ipaddr.parseCIDR('2000::/3');

/**
 * Whether an IP address is on the public internet, and so may be called on behalf of an outsider. Anything not known to be
 * public is not: loopback, private, link-local, CGNAT, multicast and reserved ranges, and all ways in which IPv6 can carry
 * an IPv4 address.
 */
export function isPublicAddress(text: string): boolean {
  if (!isIP(text) || !ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(globalUnicast6);
}

/** Resolves the addresses of a host. */
export type Resolve = (host: string, callback: (error: Error | null, addresses: LookupAddress[]) => void) => unknown;

const connectTimeoutMs = 10_000;
/** Concurrent requests to one host, so that a slow host does not use up the others' resources. */
const maxPerHost = 200;
/** The caller may be inside a transaction, which PostgreSQL ends if it idles for long. */
const lookupMs = 1500;
/** Usually a developer's own machine, for testing. */
const exception = 'Whoever runs this server can allow it with APP_PROXY_ALLOW.';

/**
 * Requests to user-supplied addresses. They must not reach hosts that only this machine or its network can (SSRF): each
 * address is checked when connecting, on the same DNS result that is used, so that DNS rebinding gains nothing.
 */
export class Outgoing {
  private readonly allow: ReadonlySet<string>;
  private readonly resolve: Resolve;
  private readonly agent: Agent;
  private readonly exchange = new Exchange();
  private readonly hosts = new AtOnce(maxPerHost);

  /** @param allow hosts (`host` or `host:port`) that may have any address, and may be called without TLS */
  constructor(allow: string[], resolve: Resolve = resolverOf(new Names())) {
    this.allow = new Set(allow.map((host) => inUrl(host.toLowerCase())));
    this.resolve = resolve;
    this.agent = new Agent({ connect: this.connector(), keepAliveTimeout: 10_000, connections: maxPerHost });
  }

  /**
   * Checks an address before it is stored or called: https, or an allowed host, and nothing private. That may change later,
   * so `request` checks again.
   * @throws AppError UNSAFE_URL
   */
  async check(url: URL): Promise<void> {
    this.requireForm(url);
    const host = bareHost(url.hostname);
    if (this.isAllowed(url) || isIP(host)) return;
    const addresses = await new Promise<LookupAddress[]>((resolve) => {
      const late = setTimeout(resolve, lookupMs, []);
      this.resolve(host, (error, found) => {
        clearTimeout(late);
        resolve(error ? [] : found);
      });
    });
    // A host that cannot be resolved now is harmless; calling it will fail.
    if (addresses.length > 0 && !addresses.some(({ address }) => isPublicAddress(address))) throw unsafe(host);
  }

  /**
   * Sends one request; redirects are not followed. The caller must read or discard the body of the answer.
   * @param plain what is read is public and nothing secret is sent, so http will do
   * @throws AppError UNSAFE_URL, SERVER_BUSY, and the errors of undici
   */
  async request(
    url: URL,
    options: Omit<Dispatcher.RequestOptions, 'origin' | 'path' | 'opaque'>,
    { plain = false } = {},
  ): Promise<Dispatcher.ResponseData> {
    this.requireForm(url, plain);
    const leave = this.enter(url);
    try {
      const answer = await request(url, { ...options, dispatcher: this.agent });
      answer.body.once('close', leave);
      return answer;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /**
   * Passes a request on unchanged, under the same rules.
   * @throws AppError UNSAFE_URL, SERVER_BUSY, and the errors of Node
   */
  async pass(url: URL, given: ExchangeRequest): Promise<Exchanged> {
    this.requireForm(url);
    const leave = this.enter(url);
    try {
      const passed = await this.exchange.send(url, given, this.isAllowed(url) ? this.anyLookup : this.guardedLookup);
      (passed.upgraded?.socket ?? passed.answer).once('close', leave);
      return passed;
    } catch (error) {
      leave();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.exchange.close();
    await this.agent.destroy();
  }

  /** @returns to be called when the request is over @throws AppError SERVER_BUSY */
  private enter({ host }: URL): () => void {
    if (!this.hosts.enter(host)) {
      throw new AppError('SERVER_BUSY', {
        message: `Too many requests to ${host} are under way; try again in a moment.`,
      });
    }
    return () => this.hosts.leave(host);
  }

  /** Whether requests to an address are made, as far as its form tells. */
  mayRequest(url: URL): boolean {
    try {
      this.requireForm(url);
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  private requireForm(url: URL, plain = false): void {
    const allowed = this.isAllowed(url);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && (allowed || plain))) {
      throw new AppError('UNSAFE_URL', { message: `Only https addresses are allowed here. ${exception}` });
    }
    if (url.username || url.password) {
      throw new AppError('UNSAFE_URL', { message: 'The address must not contain a user name or password.' });
    }
    const host = bareHost(url.hostname);
    if (!allowed && isIP(host) && !isPublicAddress(host)) throw unsafe(host);
  }

  private isAllowed(url: URL): boolean {
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    return this.allow.has(url.hostname) || this.allow.has(`${url.hostname}:${port}`);
  }

  private connector(): buildConnector.connector {
    const anywhere = buildConnector({ timeout: connectTimeoutMs, lookup: this.anyLookup });
    const guarded = buildConnector({ timeout: connectTimeoutMs, lookup: this.guardedLookup });
    return (options, callback) => {
      const host = bareHost(options.hostname);
      const url = new URL(`${options.protocol}//${inUrl(host)}:${options.port || ''}`);
      if (this.isAllowed(url)) return anywhere(options, callback);
      // A literal address is not looked up.
      if (isIP(host) && !isPublicAddress(host)) return callback(unsafe(host), null);
      guarded(options, callback);
    };
  }

  private readonly anyLookup: LookupFunction = (host, options, callback) => {
    this.resolve(host, (error, addresses) => {
      if (error) callback(error, '', 0);
      else answerLookup(addresses, options.all === true, callback);
    });
  };

  /** Passes only public addresses to the connection; a name may resolve to others too. */
  private readonly guardedLookup: LookupFunction = (host, options, callback) => {
    this.resolve(host, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const good = addresses.filter(({ address }) => isPublicAddress(address));
      if (good.length === 0) callback(unsafe(host), '', 0);
      else answerLookup(good, options.all === true, callback);
    });
  };
}

function resolverOf(names: Names): Resolve {
  return (host, callback) =>
    names.addresses(host).then(
      (found) => callback(null, found),
      (error) => callback(error, []),
    );
}

/** URLs have IPv6 addresses in brackets. */
function inUrl(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function unsafe(host: string): AppError {
  return new AppError('UNSAFE_URL', { message: `The address of ${host} is private or reserved. ${exception}` });
}
