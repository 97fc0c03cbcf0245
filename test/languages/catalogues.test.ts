// nodes: own

import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { IntlMessageFormat } from 'intl-messageformat';
import { errorCodes } from '../../src/contract/error-codes.ts';
import { languages } from '../../src/contract/languages.ts';
import ar from '../../src/languages/ar.json' with { type: 'json' };
import de from '../../src/languages/de.json' with { type: 'json' };
import es from '../../src/languages/es.json' with { type: 'json' };
import fr from '../../src/languages/fr.json' with { type: 'json' };
import ja from '../../src/languages/ja.json' with { type: 'json' };
import { messageText, type Value } from '../../src/languages/message.ts';

interface Catalogue {
  texts: Record<string, string>;
  errors: Record<string, string>;
}
const catalogues: Record<string, Catalogue> = { de, es, fr, ja, ar };
const all = Object.entries(catalogues);
/** The English texts are the keys. */
const keys = Object.keys(de.texts);

const src = path.resolve(import.meta.dirname, '../../src');
const codeIn = (folder: string, files: string) =>
  globSync(files, { cwd: path.join(src, folder) }).map((file) => ({
    file,
    code: readFileSync(path.join(src, folder, file), 'utf8').replace(/^\s*(?:\/\/|\/?\*).*$/gm, ''),
  }));
/** The web client. */
const sources = codeIn('web/app', '**/*.{ts,tsx}');
/** What else says something: mails, pushes and pages. */
const server = [
  ...codeIn('languages', '*.ts'),
  ...codeIn('features', '{account-export,digest,push}/*.ts'),
  ...codeIn('web', '{*.ts,pages/*.js}'),
  ...codeIn('web', 'pages/*.html').map(({ file, code }) => {
    return { file, code: code.replace(/\{\{([^}]+)\}\}/g, "t('$1')") };
  }),
];

/** The AST of a message, as far as this test looks into it. */
interface Part {
  type: number;
  value: string;
  options?: Record<string, { value: Part[] }>;
  pluralType?: string;
}
const [plain, plural, pound] = [0, 6, 7];
const astOf = (message: string, locale: string): Part[] =>
  JSON.parse(JSON.stringify(new IntlMessageFormat(message, locale).getAst()));
const partsOf = (ast: Part[]): Part[] =>
  ast.flatMap((part) => [part, ...Object.values(part.options ?? {}).flatMap(({ value }) => partsOf(value))]);
const argumentsOf = (message: string, locale: string) => {
  const found = partsOf(astOf(message, locale)).filter(({ type }) => type !== plain && type !== pound);
  return [...new Set(found.map(({ value, type }) => `${value}${type === plural ? ', plural' : ''}`))].sort();
};

/** The string literals of a source. */
function literalsIn(code: string): string[] {
  const found = code.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\$]|\\.)*)`/g);
  return [...found].map(([, ...texts]) => (texts.find((text) => text !== undefined) ?? '').replace(/\\(.)/g, '$1'));
}

describe('the catalogues of texts', () => {
  it('are one for each language but English, with the same texts and a sentence for every error', () => {
    expect(all.map(([language]) => language).sort()).to.deep.equal(languages.filter((one) => one !== 'en').sort());
    for (const [language, { texts, errors }] of all) {
      expect(Object.keys(texts), language).to.have.members(keys);
      expect(Object.keys(errors), language).to.have.members(Object.keys(errorCodes));
      const empty = [...Object.entries(texts), ...Object.entries(errors)].filter(([, text]) => text.trim() === '');
      expect(empty, language).to.deep.equal([]);
    }
  });

  it('have every text that is said, and none that is not', () => {
    const said = [...sources, ...server];
    const code = said.map((source) => source.code).join('\n');
    const quoted = (text: string) => [`'${text.replaceAll("'", "\\'")}'`, `"${text}"`];
    expect(keys.filter((key) => !quoted(key).some((literal) => code.includes(literal)))).to.deep.equal([]);
    const asked = said.flatMap(({ file, code }) =>
      [...code.matchAll(/\b(?:t|rich)\(\s*('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/g)].flatMap(([, literal = '']) =>
        literalsIn(literal).map((text) => ({ file, text })),
      ),
    );
    expect(asked.length).to.be.above(1000);
    expect(asked.filter(({ text }) => !keys.includes(text))).to.deep.equal([]);
  });

  it('name the same arguments in every language, and all plural forms that it has', () => {
    for (const [language, { texts }] of all) {
      const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
      for (const [english, text] of Object.entries(texts)) {
        const named = argumentsOf(text, language);
        expect(named, `${language}: ${text}`).to.deep.equal(argumentsOf(english, 'en'));
        for (const { options = {} } of partsOf(astOf(text, language)).filter(({ type }) => type === plural)) {
          const forms = Object.keys(options).filter((form) => !form.startsWith('='));
          // Spanish and French have `many` for millions alone, where it is as `other`.
          const needed = categories.filter((category) => language === 'ar' || category !== 'many');
          expect(forms, `${language}: ${text}`).to.include.members(needed);
        }
      }
    }
  });

  it('are written out as ICU MessageFormat says', () => {
    const locales = [
      ...all.map(([language, { texts }]) => ({ language, texts: Object.values(texts) })),
      { language: 'en', texts: keys },
    ];
    for (const { language, texts } of locales) {
      for (const text of texts) {
        for (const count of [0, 1, 2, 3, 11, 100]) {
          const values: Record<string, Value> = Object.fromEntries(
            partsOf(astOf(text, language)).map((part) => [
              part.value,
              part.type === plural ? count : `«${part.value}»`,
            ]),
          );
          const expected = String(new IntlMessageFormat(text, language).format(values));
          expect(messageText(text, values, language), `${language}, ${count}: ${text}`).to.equal(expected);
        }
      }
    }
  });

  it('have all that is shown', () => {
    const attribute =
      /\s(?:aria-label|title|text|action|label|placeholder|about|hint|nobody|alt)=(?:"([^"]*)"|\{`([^`]*)`\})/g;
    const between = /<\w[^<>]*[^=]>([^<>{}]*[a-z]{2}[^<>{}]*)<\//g;
    const bare = sources
      .filter(({ file }) => file.endsWith('.tsx'))
      .flatMap(({ file, code }) =>
        [...code.matchAll(attribute), ...code.matchAll(between)].map(([, ...texts]) => ({
          file,
          text: (texts.find(Boolean) ?? '').replace(/\$\{.*\}/g, '').trim(),
        })),
      );
    expect(bare.filter(({ text }) => /[a-z]{2}/i.test(text) && !/^https:/.test(text))).to.deep.equal([]);
    // Sentences and labels in the code that no catalogue has: what begins like one, and is no name of an API.
    const bareLiterals = sources.flatMap(({ file, code }) =>
      literalsIn(code)
        .filter((text) => /^[A-Z][a-z]+ [a-z]/.test(text) && !keys.includes(text))
        .map((text) => ({ file, text })),
    );
    expect(bareLiterals.filter(({ file }) => file !== 'views/useApp.ts')).to.deep.equal([]);
  });
});
