import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { emojiForm, isEmoji } from '../contract/unicode/emoji.ts';
import { namedEmoji } from '../contract/unicode/emoji-names.ts';
import { root } from './configuration.ts';

/**
 * `npm run emoji -- <emojibase-data>`: makes the lists of emoji that the web client offers from the package of that name,
 * unpacked, which is at https://www.npmjs.com/package/emojibase-data. Only what is searched and shown is kept.
 */
const { positionals } = parseArgs({ allowPositionals: true });
const [source = 'emojibase-data'] = positionals;
const languages = ['en', 'de', 'es', 'fr', 'ja'] as const;

const entrySchema = z.object({
  hexcode: z.string(),
  label: z.string(),
  tags: z.array(z.string()).optional(),
  unicode: z.string(),
  group: z.number().optional(),
  order: z.number().optional(),
});
const namesSchema = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
type Entry = z.output<typeof entrySchema>;

const read = (file: string): unknown => JSON.parse(readFileSync(path.join(source, file), 'utf8'));
const { version } = z.object({ version: z.string() }).parse(read('package.json'));

/** Parts of emoji, as colours of skin, are none by themselves. */
const componentGroup = 2;

const wordsIn = (language: string): Map<string, Entry> => {
  const entries = z.array(entrySchema).parse(read(`${language}/compact.json`));
  return new Map(entries.map((entry) => [entry.hexcode, entry]));
};

const listed = [...wordsIn('en').values()]
  .filter(({ group, unicode }) => group !== undefined && group !== componentGroup && isEmoji(emojiForm(unicode)))
  .sort((a, b) => (a.order ?? 0) - (b.order ?? 0));

/** Names between colons, of GitHub and others; ours first, of which none means anything else. */
const own = Map.groupBy(namedEmoji, ({ emoji }) => emojiForm(emoji));
const taken = new Set(namedEmoji.map(({ name }) => name));
const sets = ['github', 'iamcal', 'emojibase'].map((set) => namesSchema.parse(read(`en/shortcodes/${set}.json`)));

function namesOf({ hexcode, unicode }: Entry): string[] {
  const ours = (own.get(emojiForm(unicode)) ?? []).map(({ name }) => name);
  const theirs = sets
    .flatMap((set) => set[hexcode] ?? [])
    .filter((name) => /^[a-z\d_+-]+$/.test(name) && !taken.has(name));
  const all = [...new Set([...ours, ...theirs])];
  for (const name of theirs) taken.add(name);
  return all;
}

const groups = [...Map.groupBy(listed, ({ group }) => group).values()];
const list = groups.map((entries) => entries.map((entry) => [emojiForm(entry.unicode), ...namesOf(entry)].join(' ')));

const folder = path.join(root, 'src/web/app/emoji');
const write = (name: string, content: object): void =>
  writeFileSync(path.join(folder, name), `${JSON.stringify(content, null, 2)}\n`);
write('list.json', { source: `emojibase-data ${version}`, groups: list });
for (const language of languages) {
  const words = wordsIn(language);
  const texts = listed.map(({ hexcode, label: english }) => {
    const { label = english, tags = [] } = words.get(hexcode) ?? {};
    const name = label.toLowerCase();
    return [label, ...new Set(tags.filter((tag) => !name.includes(tag.toLowerCase())))].join('|');
  });
  write(`words-${language}.json`, texts);
}
