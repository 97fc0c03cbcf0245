import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

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
