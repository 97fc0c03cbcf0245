import { isIPv4, isIPv6 } from 'node:net';

const forwardedHeader = 'x-forwarded-for';

/**
 * The address of a client that came through `hops` trusted proxies, each of which appended whom it heard to
 * X-Forwarded-For: the last entries are true, what stands before them anyone can write (contract §3).
 * @param peer the other end of the connection
 */
export function clientAddress(
  headers: Record<string, string | string[] | undefined>,
  peer: string,
  hops: number,
): string {
  if (hops === 0) return peer;
  const entries = [headers[forwardedHeader] ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
  const entry = entries.at(-Math.min(hops, entries.length));
  return entry === undefined ? peer : withoutPort(entry);
}

/** Some proxies add the port from which they heard someone: `192.0.2.1:5678`, `[2001:db8::1]:5678`. */
function withoutPort(entry: string): string {
  const [, v6, v4] = /^(?:\[(.*)\](?::\d+)?|([\d.]+):\d+)$/.exec(entry) ?? [];
  return v6 ?? v4 ?? entry;
}

/** What stands for a client where addresses are counted: one who has an IPv6 network has 2^64 addresses in it. */
export function addressKey(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (isIPv4(address) || !isIPv6(address)) return address;
  return `${groups(address).slice(0, 4).join(':')}::/64`;
}

/** The eight groups of an IPv6 address. */
function groups(address: string): string[] {
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const parts = (text: string) => (text === '' ? [] : text.split(':'));
  if (tail === undefined) return parts(head).map(plain);
  const missing = Math.max(8 - parts(head).length - parts(tail).length, 0);
  return [...parts(head), ...Array.from({ length: missing }, () => '0'), ...parts(tail)].map(plain);
}

const plain = (group: string) => group.replace(/^0+(?=.)/, '');
