import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const forwardedHeader = 'x-forwarded-for';
const hostHeader = 'x-forwarded-host';

/**
 * The address of a client behind `hops` trusted proxies, each of which appended its peer to X-Forwarded-For: the last
 * entries are true, anyone can forge the ones before them (contract §3).
 * @param peer the other end of the connection
 */
export function clientAddress(
  headers: Record<string, string | string[] | undefined>,
  peer: string,
  hops: number,
): string {
  if (hops === 0) return peer;
  const entries = listed(headers[forwardedHeader]);
  const entry = entries.at(-Math.min(hops, entries.length));
  return entry === undefined ? peer : withoutPort(entry);
}

/**
 * The host that the client addressed. Only trusted proxies may name it (contract §11): the last entries of
 * X-Forwarded-Host are theirs, and without trusted proxies the header is ignored.
 */
export function clientHost(headers: Record<string, string | string[] | undefined>, hops: number): string | undefined {
  const own = [headers.host ?? []].flat()[0];
  if (hops === 0) return own;
  const entries = listed(headers[hostHeader]);
  return entries.at(-Math.min(hops, entries.length)) ?? own;
}

/** The entries of a header that may have been sent several times. */
function listed(header: string | string[] | undefined): string[] {
  return [header ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}

/** Some proxies add the peer's port: `192.0.2.1:5678`, `[2001:db8::1]:5678`. */
function withoutPort(entry: string): string {
  const [, v6, v4] = /^(?:\[(.*)\](?::\d+)?|([\d.]+):\d+)$/.exec(entry) ?? [];
  return v6 ?? v4 ?? entry;
}

/**
 * The range that an address is in, to show where someone is without their address: a /24, or a /48 of IPv6.
 * @returns undefined for what is no address
 */
export function addressRange(address: string): string | undefined {
  if (isIP(address) === 0) return undefined;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return `${new ipaddr.IPv4([...parsed.octets.slice(0, 3), 0])}/24`;
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 3), 0, 0, 0, 0, 0])}/48`;
}

/** The keys for limits by address. */
export interface Networks {
  /** An IPv4 address, also one written as IPv6; or a /64 of IPv6, in which one host can have any address. */
  own: string;
  /** The /48 of IPv6 above it, all of which one customer gets; null: IPv4. */
  site: string | null;
}

/** What a client's address counts for. */
export function networksOf(address: string): Networks {
  // Most are IPv4, and this runs for every request.
  if (isIP(address) !== 6) return { own: address, site: null };
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return { own: parsed.toString(), site: null };
  const network = (parts: number) => {
    const first = parsed.parts.slice(0, parts).map((part) => part.toString(16));
    return `${first.join(':')}::/${parts * 16}`;
  };
  return { own: network(4), site: network(3) };
}
