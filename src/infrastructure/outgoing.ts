import { type LookupAddress, lookup } from 'node:dns';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import { AppError } from '../errors.ts';
import { isPublicAddress } from './addresses.ts';

/** Resolves the addresses of a host; by default the system's resolver. */
export type Resolve = (host: string, callback: (error: Error | null, addresses: LookupAddress[]) => void) => void;

const connectTimeoutMs = 10_000;
/** The caller may be inside a transaction, which PostgreSQL ends if it idles for long. */
const lookupMs = 1500;
/** Usually a developer's own machine, for testing. */
const exception = 'Whoever runs this server can allow it with APP_PROXY_ALLOW.';

/**
 * Requests to user-supplied addresses. They must not reach what only this machine or its network can (SSRF): each address
 * is checked when connecting, on the very result of name resolution that is used, so that DNS rebinding gains nothing.
 */
export class Outgoing {
  private readonly allow: ReadonlySet<string>;
  private readonly resolve: Resolve;
  private readonly agent: Agent;

  /** @param allow hosts (`host` or `host:port`) that may have any address, and may be called without TLS */
  constructor(allow: string[], resolve: Resolve = resolveAll) {
    this.allow = new Set(allow.map((host) => inUrl(host.toLowerCase())));
    this.resolve = resolve;
    this.agent = new Agent({ connect: this.connector(), keepAliveTimeout: 10_000, connections: 64 });
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
   * Sends one request; redirects are not followed.
   * @throws AppError UNSAFE_URL, and the errors of undici
   */
  async request(
    url: URL,
    options: Omit<Dispatcher.RequestOptions, 'origin' | 'path' | 'opaque'>,
  ): Promise<Dispatcher.ResponseData> {
    this.requireForm(url);
    return request(url, { ...options, dispatcher: this.agent });
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private requireForm(url: URL): void {
    const allowed = this.isAllowed(url);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowed)) {
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
    const anywhere = buildConnector({ timeout: connectTimeoutMs });
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

  /** Passes only public addresses to the connection; a name may resolve to others too. */
  private readonly guardedLookup: LookupFunction = (host, options, callback) => {
    this.resolve(host, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const good = addresses.filter(({ address }) => isPublicAddress(address));
      const [first] = good;
      if (!first) return callback(unsafe(host), '', 0);
      if (options.all) callback(null, good);
      else callback(null, first.address, first.family);
    });
  };
}

function resolveAll(host: string, callback: (error: Error | null, addresses: LookupAddress[]) => void): void {
  lookup(host, { all: true }, callback);
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
