import { domainToASCII } from 'node:url';
import { topLevelDomains } from '../../contract/top-level-domains.ts';
import { unspaced } from './folding.ts';

/** A host that a text names. */
interface NamedHost {
  /** In lower case and Punycode, without a dot at its end. */
  host: string;
  /** Whether clients make a link of it; else it is only a name, such as `example.com` or `readme.md` in a sentence. */
  isLink: boolean;
}

/** A host has at most 253 characters; what is before it may be a user and a password. */
const maxHost = 253;
const maxAuthority = 2 * maxHost;

/** Two slashes begin the host of a link, whatever is before them; browsers take backslashes too. */
const slashes = /[/\\]{2,}/g;
const endOfAuthority = /[\s/\\?#<>"'()[\]{}|,;]/;
const endOfLink = /[\s<>"'()[\]{}|,;]/g;
/** Dots of other scripts are dots in hosts; what nobody sees is left out. */
const hostLike = /[\p{L}\p{N}\p{M}\p{Default_Ignorable_Code_Point}_\-.\u3002\uff0e\uff61]+/gu;
const dot = /[.\u3002\uff0e\uff61]/;
const plain = /^[a-z0-9_.-]*$/;
const unseen = /\p{Default_Ignorable_Code_Point}/gu;
/** What follows a bare host where it is a link: a path, a query, a fragment or a port. */
const afterHost = /[/?#]|:\d/y;

let endings: Set<string> | undefined;

/** Whether a host ends with a top-level domain that there is. */
function isPublic(host: string): boolean {
  endings ??= new Set(topLevelDomains().map((name) => domainToASCII(name)));
  const at = host.lastIndexOf('.');
  return at > 0 && endings.has(host.slice(at + 1));
}

/** The form in which hosts are compared; empty: it cannot be a host. */
export function canonicalHost(host: string): string {
  const lower = host.replace(unseen, '').toLowerCase();
  const ascii = plain.test(lower) ? lower : domainToASCII(lower);
  return ascii.replace(/^\.+|\.+$/g, '').slice(-maxHost);
}

/** What an entry for links means: `*`, all of them, or a host, also where it was given as an address. Empty: nothing. */
export function linkForm(pattern: string): string {
  const bare = pattern.trim().replace(/^[a-z][a-z0-9+.-]*:[/\\]{2,}|^[/\\]{2,}/i, '');
  if (bare === '*') return '*';
  if (/\s/.test(bare)) return '';
  const authority = authorityIn(bare.replace(/^\*\./, ''));
  const host = authority === '' ? '' : hostOf(authority);
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$|^\[[0-9a-f:.]+\]$/.test(host) ? host : '';
}

/** What is before the path of an address. Brackets belong to it only around an IPv6 address. */
function authorityIn(address: string): string {
  const [numeric] = /^(?:[^\s/\\@[\]]*@)?\[[0-9a-f:.]+\](?::\d*)?/i.exec(address) ?? [];
  return numeric ?? address.split(endOfAuthority, 1)[0] ?? '';
}

/** The host of `user:password@host:port`, as browsers read it. */
function hostOf(authority: string): string {
  // Parsing takes a hundred times as long. What ends with a number may be an IPv4 address in another form.
  if (/^[\w-]+(\.[\w-]+)*\.?(:\d*)?$/.test(authority) && !/(^|\.)(0x)?[\da-f]*\.?(:\d*)?$/i.test(authority)) {
    return canonicalHost(authority.replace(/:\d*$/, ''));
  }
  const address = `http://${authority}/`;
  if (URL.canParse(address)) return canonicalHost(new URL(address).hostname);
  return canonicalHost(authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, ''));
}

/** A part of a text, from the beginning of a link to its end. */
interface Extent {
  from: number;
  to: number;
}

/** All hosts that a text names. Each place of the text is looked at a few times, however it is made. */
export function* hostsIn(text: string): Generator<NamedHost> {
  const extents: Extent[] = [];
  for (const { index, 0: run } of text.matchAll(slashes)) {
    const from = index + run.length;
    const authority = authorityIn(text.slice(from, from + maxAuthority));
    const host = authority === '' ? '' : hostOf(authority);
    const hasScheme = /\p{L}:$/u.test(text.slice(Math.max(0, index - 3), index));
    if (host === '' || !(hasScheme || isPublic(host))) continue;
    yield { host, isLink: true };
    // One that begins inside another ends with it: no part of the text is searched twice.
    const last = extents.at(-1)?.to ?? 0;
    endOfLink.lastIndex = from;
    extents.push({ from, to: from <= last ? last : (endOfLink.exec(text)?.index ?? text.length) });
  }
  if (dot.test(text)) yield* bareHosts(text, extents);
}

/** Hosts without a scheme. Those inside another link are names: what a link leads to is its own host. */
function* bareHosts(text: string, extents: Extent[]): Generator<NamedHost> {
  let next = 0;
  for (const { index, 0: run } of text.matchAll(hostLike)) {
    if (!dot.test(run)) continue;
    const end = index + run.length;
    while ((extents[next]?.to ?? end) < end) next++;
    const isInside = (extents[next]?.from ?? end) <= index;
    afterHost.lastIndex = end;
    const isAddress = afterHost.test(text);
    for (const host of formsOf(run)) {
      const isLink = !isInside && isPublic(host) && (isAddress || host.startsWith('www.'));
      yield { host, isLink };
    }
  }
}

/** The hosts that a run of letters may be: as a whole, and where a script without spaces is next to it, its other parts. */
function formsOf(run: string): string[] {
  const short = run.slice(-2 * maxHost);
  const parts = unspaced.test(short) ? short.split(unspaced).filter((part) => dot.test(part)) : [];
  return [short, ...parts].map(canonicalHost).filter((host) => host !== '');
}
