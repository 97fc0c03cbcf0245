import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './configuration.ts';

/**
 * `npm run confusables -- <confusables.txt>`: makes the table of look-alikes from Unicode's file, which is at
 * https://www.unicode.org/Public/security/latest/confusables.txt. Only what a name may have is kept: letters, digits and
 * marks, in the form that NFKC leaves them in.
 */
const { positionals } = parseArgs({ allowPositionals: true });
const source = readFileSync(positionals[0] ?? 'confusables.txt', 'utf8');
const version = /^# Version: (\S+)/m.exec(source)?.[1];
if (!version) throw new Error('This is no confusables.txt of Unicode.');

const fromHex = (codes: string): string =>
  String.fromCodePoint(
    ...codes
      .trim()
      .split(/\s+/)
      .map((code) => Number.parseInt(code, 16)),
  );

/** The letters of each prototype. */
const alike = new Map<string, string>();
for (const [, from = '', to = ''] of source.matchAll(/^([0-9A-F]+) ;\t([0-9A-F ]+) ;/gm)) {
  const letter = fromHex(from);
  const isInNames = /[\p{ID_Continue}\p{N}]/u.test(letter) && letter.normalize('NFKC') === letter;
  const prototype = fromHex(to);
  if (isInNames) alike.set(prototype, (alike.get(prototype) ?? '') + letter);
}

const header = [
  `# Look-alikes of Unicode ${version} (UTS 39), made from confusables.txt by npm run confusables.`,
  '# © Unicode, Inc. See the LICENSE beside this file.',
];
const lines = [...alike].map(([prototype, letters]) => `${prototype}\t${letters}`);
writeFileSync(path.join(root, 'src/contract/unicode/confusables.txt'), `${[...header, ...lines].join('\n')}\n`);
