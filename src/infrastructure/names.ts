import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP, type LookupFunction } from 'node:net';

interface NamesOptions {
  /** How long one name may take. */
  timeoutMs?: number;
  /** Name servers (`address:port`) in place of the system's. */
  servers?: string[];
  hostsFile?: string;
  resolverFile?: string;
}

/** The system's files, except for the name servers. */
interface LocalNames {
  hosts: Map<string, LookupAddress[]>;
  /** Search domains for names that are not found as given. */
  search: string[];
  readAt: number;
}

const isWindows = process.platform === 'win32';
const systemHosts = isWindows ? String.raw`C:\Windows\System32\drivers\etc\hosts` : '/etc/hosts';
/** How long the files are cached. */
const filesMs = 5000;
/** How long to wait for the other family once one has answered. */
const otherFamilyMs = 250;
/** Concurrent lookups: each has sockets of its own. */
const maxAtOnce = 1000;

/**
 * Resolves names by DNS and the system's hosts file. The system's own resolver (`dns.lookup`) blocks one of the four
 * threads that also read files and hash passwords, for as long as a name server likes; this one waits for no thread, gives
 * up in time, and shares one lookup among all callers with the same name.
 */
export class Names {
  private readonly timeoutMs: number;
  private readonly servers: string[] | undefined;
  private readonly files: { hosts: string; resolver: string };
  private readonly underWay = new Map<string, Promise<LookupAddress[]>>();
  private local: Promise<LocalNames> | undefined;

  constructor({ timeoutMs = 3000, servers, hostsFile, resolverFile }: NamesOptions = {}) {
    this.timeoutMs = timeoutMs;
    this.servers = servers;
    this.files = { hosts: hostsFile ?? systemHosts, resolver: resolverFile ?? '/etc/resolv.conf' };
  }

  /**
   * All addresses of a host, of both families.
   * @throws Error with the code ENOTFOUND: there is none; EAI_AGAIN: not known in time
   */
  addresses(host: string): Promise<LookupAddress[]> {
    const name = host.toLowerCase();
    const known = this.underWay.get(name);
    if (known) return known;
    if (this.underWay.size >= maxAtOnce) return Promise.reject(unresolved(host, 'EAI_AGAIN'));
    const asked = this.find(name).finally(() => this.underWay.delete(name));
    this.underWay.set(name, asked);
    return asked;
  }

  /** The same for connections. */
  readonly lookup: LookupFunction = (host, options, callback) => {
    this.addresses(host).then(
      (found) => answerLookup(found, options.all === true, callback),
      (error) => callback(error, '', 0),
    );
  };

  private async find(name: string): Promise<LookupAddress[]> {
    const family = isIP(name);
    if (family) return [{ address: name, family }];
    const bare = name.replace(/\.$/, '');
    const { hosts, search } = await this.readFiles();
    const listed = hosts.get(bare);
    if (listed) return listed;
    if (bare === 'localhost' || bare.endsWith('.localhost')) return loopback;
    const within = name.endsWith('.') ? [] : search.map((domain) => `${bare}.${domain}`);
    return this.ask(name, bare.includes('.') ? [bare, ...within] : [...within, bare]);
  }

  /** Tries one form of the name after the other, all within the time. */
  private async ask(host: string, names: string[]): Promise<LookupAddress[]> {
    const resolver = new Resolver({ timeout: Math.ceil(this.timeoutMs / 2), tries: 2 });
    if (this.servers) resolver.setServers(this.servers);
    const limit = setTimeout(() => resolver.cancel(), this.timeoutMs);
    try {
      for (const name of names) {
        const found = await bothFamilies(resolver, name);
        if (found.length > 0) return found;
      }
    } catch (cause) {
      throw unresolved(host, 'EAI_AGAIN', cause);
    } finally {
      clearTimeout(limit);
    }
    throw unresolved(host, 'ENOTFOUND');
  }

  private async readFiles(): Promise<LocalNames> {
    const known = await this.local;
    if (known && performance.now() - known.readAt < filesMs) return known;
    this.local = readLocalNames(this.files.hosts, this.files.resolver);
    return this.local;
  }
}

/** Empty: the name has no address. @throws Error nobody answered */
async function bothFamilies(resolver: Resolver, name: string): Promise<LookupAddress[]> {
  let limit: NodeJS.Timeout | undefined;
  const found = async (family: 4 | 6) => {
    const addresses = await (family === 4 ? resolver.resolve4(name) : resolver.resolve6(name));
    if (addresses.length > 0) limit ??= setTimeout(() => resolver.cancel(), otherFamilyMs);
    return addresses.map((address) => ({ address, family }));
  };
  const asked = await Promise.allSettled([found(4), found(6)]);
  clearTimeout(limit);
  const addresses = asked.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const failure = asked.find((answer) => answer.status === 'rejected' && !isAbsent(answer.reason));
  if (addresses.length === 0 && failure?.status === 'rejected') throw failure.reason;
  return addresses;
}

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA');

const loopback: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Answers the lookup of a connection, which wants one address or all. */
export function answerLookup(found: LookupAddress[], all: boolean, callback: Parameters<LookupFunction>[2]): void {
  const [first] = found;
  if (all) callback(null, found);
  else callback(null, first?.address ?? '', first?.family);
}

function unresolved(host: string, code: 'ENOTFOUND' | 'EAI_AGAIN', cause?: unknown): Error {
  return Object.assign(new Error(`The name ${host} cannot be resolved.`, { cause }), { code });
}

async function readLocalNames(hostsFile: string, resolverFile: string): Promise<LocalNames> {
  const [hosts, resolver] = await Promise.all(
    [hostsFile, resolverFile].map((file) => readFile(file, 'utf8').catch(() => '')),
  );
  return { hosts: hostsIn(hosts ?? ''), search: searchIn(resolver ?? ''), readAt: performance.now() };
}

function hostsIn(text: string): Map<string, LookupAddress[]> {
  const hosts = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (!family) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      hosts.set(key, [...(hosts.get(key) ?? []), { address, family }]);
    }
  }
  return hosts;
}

/** The last line counts (resolv.conf(5)). */
function searchIn(text: string): string[] {
  const [, domains = ''] = [...text.matchAll(/^(?:search|domain)[ \t]+(.+)$/gm)].at(-1) ?? [];
  return domains
    .trim()
    .split(/\s+/)
    .filter((domain) => /^[\w.-]+$/.test(domain) && domain !== '.')
    .slice(0, 6);
}
