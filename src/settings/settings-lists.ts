import { isIPv6 } from 'node:net';
import { z } from 'zod';

export const url = (...protocols: string[]) =>
  z
    .url({ protocol: new RegExp(`^(${protocols.join('|')})$`), error: `must be a ${protocols.join(' or ')} URL` })
    .refine(hasEncodedSecrets, 'must have what is special in its name and password encoded, as %25 for %');

/** @param unset the meaning of an unset variable, where no default value shows it */
export const told = (description: string, unset?: string) => ({ description, unset });

/** A comma-separated list. One of only commas is refused: an empty list may mean "any". */
export const list = z.string().transform((text, context): string[] => {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
  if (items.length > 0 || text.trim() === '') return items;
  context.addIssue({ code: 'custom', message: 'has nothing between its commas' });
  return z.NEVER;
});

/** A comma-separated list of URLs of PostgreSQL. */
export const postgresUrls = list.transform((items, context): string[] => {
  const one = url('postgres', 'postgresql');
  const [issue] = items.flatMap((item) => one.safeParse(item).error?.issues ?? []);
  if (!issue) return items;
  const message = `must be a comma list of URLs (a comma in a password is %2C), each of which ${issue.message}`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** Browsers compare and send origins in one form only: lower case, without a path or the default port. */
function originOf(text: string): string | null {
  const [whole] = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@*]+(?=\/?$)/i.exec(text) ?? [];
  if (whole === undefined || !URL.canParse(whole)) return null;
  const { origin } = new URL(whole);
  // For custom schemes, as used by web pages packaged as programs, `URL` knows no origin.
  return origin === 'null' ? whole.toLowerCase() : origin;
}

/** Whether nothing follows the host and port: anything more would be ignored silently. */
export const isOrigin = (text: string): boolean => originOf(text) !== null;

/** Whether paths can be appended, and all of it is used: names and passwords would be ignored. */
export function isBase(text: string): boolean {
  const { search, hash, username, password } = URL.parse(text) ?? {};
  return !search && !hash && !username && !password;
}

/** Whether its path, if any, names a database: anything but a number would mean the default one. */
export const isRedis = (text: string): boolean => /^\/?\d{0,4}$/.test(URL.parse(text)?.pathname ?? '');

/** A comma-separated list of origins; an empty one means any, as does `*`, the header's word for it. */
export const origins = list.transform((items, context): string[] => {
  if (items.includes('*')) return [];
  const found = items.map(originOf).filter((origin) => origin !== null);
  if (found.length === items.length) return found;
  context.addIssue({
    code: 'custom',
    message: 'must be a comma list of origins such as https://chat.example.com, or *',
  });
  return z.NEVER;
});

/** A comma-separated list of hosts, with or without a port. Anything else, such as a URL, would silently match nothing. */
export const hosts = list.transform((items, context): string[] => {
  const found = items.map(hostOf).filter((host) => host !== null);
  if (found.length === items.length) return found;
  context.addIssue({
    code: 'custom',
    message: 'must be a comma list of hosts such as 10.0.0.7 or hooks.internal:8080',
  });
  return z.NEVER;
});

/** A host in the form of URLs, which accept several spellings; with its port, even the default one. */
function hostOf(text: string): string | null {
  if (/[\s/\\@*?#]/.test(text)) return null;
  const host = isIPv6(text) ? `[${text}]` : text;
  const url = URL.parse(`http://${host}`);
  return url && `${url.hostname}${/:\d+$/.exec(host)?.[0] ?? ''}`;
}

const sentinelPort = 26_379;

/** A comma-separated list of Redis Sentinels, each a host with or without a port. */
export const sentinelHosts = list.transform((items, context): { host: string; port: number }[] => {
  const found = items.map(hostOf).filter((host) => host !== null);
  if (found.length < items.length || found.length === 0) {
    context.addIssue({ code: 'custom', message: 'must be a comma list of hosts such as sentinel-1.internal:26379' });
    return z.NEVER;
  }
  return found.map((text) => {
    const { hostname, port } = new URL(`redis://${text}`);
    return { host: hostname.replace(/^\[|\]$/g, ''), port: port ? Number(port) : sentinelPort };
  });
});

/** A value sent in a header, or compared with one. Files with secrets tend to end with a line break. */
export const inHeaders = z
  .string()
  .trim()
  .regex(/^[ -~]+$/, 'must be of printable ASCII characters');

/** Whether the name and password in a URL can be decoded: characters like `%` have to be encoded in them. */
export function hasEncodedSecrets(text: string): boolean {
  const { username = '', password = '' } = URL.parse(text) ?? {};
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/** A sender as mail servers accept it: an address, or a name with one. */
export const sender = /^([^<>@\s]+@[^<>@\s]+|[^<>]*<[^<>@\s]+@[^<>@\s]+>)$/;

/** Decimal digits only: JavaScript would accept 0x10 and 1e3 too, which are more likely typos. */
export const whole = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  const number = z.number().min(min, { error }).max(max, { error });
  return z
    .string()
    .trim()
    .regex(/^\d{1,9}$/, { error })
    .transform(Number)
    .pipe(number);
};
