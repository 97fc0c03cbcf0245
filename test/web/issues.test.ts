// nodes: own

import { expect } from 'chai';
import { z } from 'zod';
import { emailSchema, passwordSchema } from '../../src/contract/account.ts';
import { AppError, type Issue } from '../../src/contract/errors.ts';
import { validated } from '../../src/contract/schema/validation.ts';
import { nameSchema } from '../../src/contract/schema.ts';
import { usernameSchema } from '../../src/contract/username.ts';
import ar from '../../src/languages/ar.json' with { type: 'json' };
import de from '../../src/languages/de.json' with { type: 'json' };
import { issuesText } from '../../src/web/app/state/issues.ts';
import { textsOf } from '../../src/web/app/state/texts.ts';

const german = textsOf({ language: 'de', locale: 'de', timeZone: null, hourCycle: null }, de);
const english = textsOf({ language: 'en', locale: 'en', timeZone: null, hourCycle: null }, null);
const arabic = textsOf({ language: 'ar', locale: 'ar', timeZone: null, hourCycle: null }, ar);

const form = z
  .object({
    email: emailSchema,
    password: passwordSchema,
    username: usernameSchema,
    displayName: nameSchema(8).optional(),
    options: z.array(nameSchema(100)).min(2).max(10).optional(),
    slowModeSeconds: z.number().int().max(60).optional(),
    timeZone: z.enum(['Europe/Berlin', 'Asia/Tokyo']).optional(),
  })
  .strict();
const good = { email: 'a@example.com', password: 'correct horse', username: 'alice' };

/** What the server finds wrong. */
function issuesOf(value: object): Issue[] {
  try {
    validated(form, { ...good, ...value });
  } catch (error) {
    if (error instanceof AppError) return error.issues ?? [];
    throw error;
  }
  return [];
}

describe('what is wrong with a form', () => {
  const cases: [object, string][] = [
    [{ password: 'short' }, 'Passwort: muss mindestens 8 Zeichen haben.'],
    [{ password: undefined }, 'Passwort: fehlt.'],
    [{ email: 'nobody' }, 'E-Mail-Adresse: muss eine E-Mail-Adresse sein.'],
    [{ username: 'a b c' }, 'Benutzername: darf nur Buchstaben, Ziffern, „_“, „-“ und „.“ enthalten.'],
    [{ username: 'admin' }, 'Benutzername: ist reserviert oder sieht einem reservierten Namen ähnlich.'],
    [{ displayName: ' ' }, 'Anzeigename: darf nicht leer sein.'],
    [{ displayName: 'far too long a name' }, 'Anzeigename: darf höchstens 8 Zeichen haben.'],
    [{ options: ['one'] }, 'Antworten: muss mindestens 2 Einträge haben.'],
    [{ options: ['one', ''] }, 'Antworten: darf nicht leer sein.'],
    [{ slowModeSeconds: 61 }, 'Langsam-Modus: darf höchstens 60 sein.'],
    [{ slowModeSeconds: 'soon' }, 'Langsam-Modus: fehlt oder hat die falsche Art.'],
    [{ timeZone: 'Moon' }, 'Zeitzone: ist keine der Möglichkeiten.'],
    [{ displayName: 'a\u0000b' }, 'Anzeigename: enthält unerlaubte Zeichen.'],
  ];

  it('is said with the field and the reason, in the language of whoever filled it in', () => {
    for (const [value, text] of cases) expect(issuesText(issuesOf(value), german), text).to.equal(text);
  });

  it('is said in English with the name that the field has on the page', () => {
    expect(issuesText(issuesOf({ displayName: ' ' }), english)).to.equal('Display name: must not be empty.');
    expect(issuesText(issuesOf({ slowModeSeconds: 'soon' }), english)).to.equal('Slow mode: must be a number.');
  });

  it('names several fields, each once, and not more than a few', () => {
    const text = issuesText(issuesOf({ password: 'short', email: 'nobody' }), german) ?? '';
    expect(text).to.contain('Passwort: ').and.to.contain('E-Mail-Adresse: ');
    const many = Array.from({ length: 9 }, (_, i) => ({
      path: `options.${i}`,
      message: 'must not be empty',
      code: 'custom',
    }));
    expect(issuesText(many, german)).to.equal('Antworten: darf nicht leer sein.');
  });

  it('keeps the server’s sentence where there is no other one, and names an unknown field as the API does', () => {
    const issue = { path: 'a.shape', message: 'must come before the file', code: 'custom' };
    expect(issuesText([issue], german)).to.equal('shape: must come before the file.');
    expect(issuesText([issue], arabic)).to.contain('must come before the file');
    expect(issuesText([{ path: '', message: 'needs either', code: 'custom' }], german)).to.equal(
      'Deine Eingabe: needs either.',
    );
    const odd = { path: 'constructor', message: 'is odd', code: 'toString' };
    expect(issuesText([odd], german)).to.equal('constructor: is odd.');
    expect(issuesText([], german)).to.equal(null);
  });
});
