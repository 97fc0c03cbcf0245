// nodes: own

import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { errorCodes } from '../../src/contract/error-codes.ts';
import { languages } from '../../src/contract/languages.ts';
import { columnTitle } from '../../src/features/account-export/columns.ts';
import { sections } from '../../src/features/account-export/section.table.ts';
import { type DigestParts, digestMail } from '../../src/features/digest/digest.mail.ts';
import { testPayload } from '../../src/features/push/push.texts.ts';
import { MailTemplates } from '../../src/infrastructure/mail-templates.ts';
import { serverTexts } from '../../src/languages/server-texts.ts';
import { titleIn } from '../../src/languages/titles.ts';

const folder = path.resolve(import.meta.dirname, '../../config/mail');
const filesOf = (language: string) => globSync('*.{txt,html,json}', { cwd: path.join(folder, language) }).sort();
const read = (language: string, file: string) => readFileSync(path.join(folder, language, file), 'utf8');
const placeholdersOf = (text: string) => [...new Set(text.match(/\{\{\w+\}\}/g) ?? [])].sort();
const translated = languages.filter((language) => language !== 'en');

describe('the templates of mails', () => {
  it('are the same in each language, with the same placeholders and a subject', () => {
    const english = filesOf('');
    for (const language of translated) {
      expect(filesOf(language), language).to.deep.equal(english);
      for (const file of english) {
        const [own, text] = [read('', file), read(language, file)];
        expect(placeholdersOf(text), `${language}/${file}`).to.deep.equal(placeholdersOf(own));
        expect(text, `${language}/${file}`).not.to.equal(own);
        if (file.endsWith('.txt')) expect(text, `${language}/${file}`).to.match(/^Subject: .+\n\n/);
        if (file.endsWith('.json'))
          expect(Object.keys(JSON.parse(text)), `${language}/${file}`).to.have.members(Object.keys(JSON.parse(own)));
      }
    }
  });

  it('say in which language and direction they are', () => {
    for (const language of languages) {
      const values = { code: '123456', minutes: '10', site: 'x' };
      const { html } = new MailTemplates().render('sign-in-code', values, language);
      expect(html).to.contain(language === 'ar' ? '<html lang="ar" dir="rtl">' : `<html lang="${language}">`);
    }
  });
});

/** The names of what a statement selects, but for the cursor. */
function columnsOf(statement: string): string[] {
  const selected: string[] = [''];
  let depth = 0;
  for (const part of statement.replace(/^SELECT /, '').split(/([()[\],]|\sFROM\s)/)) {
    if ('(['.includes(part)) depth++;
    if (')]'.includes(part)) depth--;
    if (depth === 0 && part.trim() === 'FROM') break;
    if (depth === 0 && part === ',') selected.push('');
    else selected.push(`${selected.pop()}${part}`);
  }
  return selected.map((column) => /(\w+)"?\s*$/.exec(column)?.[1] ?? column).filter((name) => name !== 'cursor');
}

describe('the export of an account', () => {
  it('has a title for each column of its lists', () => {
    const none = { ...serverTexts(null), t: () => 'translated' };
    const names = new Set(sections.flatMap(({ statement }) => columnsOf(statement)));
    expect(names.size).to.be.above(100);
    for (const name of [...names, 'file', 'filename', 'contentType', 'size', 'voice', 'durationMs', 'folderId'])
      expect(columnTitle(none, name), name).to.equal('translated');
  });
});

describe('what the server says', () => {
  const said = serverTexts('de');

  it('has titles of notifications in other languages, with the names that are in them', () => {
    const german = (kind: Parameters<typeof titleIn>[1], title: string) => titleIn(said.t, kind, title);
    expect(german('message.mention', 'Bob mentioned you in #general')).to.equal('Bob hat dich in #general erwähnt');
    expect(german('server.kicked', 'You were removed from A (b) $1')).to.equal('Du wurdest aus A (b) $1 entfernt');
    expect(german('later.reminder', 'Reminder: a message from Bob')).to.equal('Erinnerung: eine Nachricht von Bob');
    expect(german('account.export_ready', 'The export of your account is ready')).to.equal(
      'Der Export deines Kontos ist fertig',
    );
  });

  it('leaves titles alone that are names, or that it does not know', () => {
    expect(titleIn(said.t, 'dm.message', 'Bob')).to.equal('Bob');
    expect(titleIn(said.t, 'message.mention', 'Of another version')).to.equal('Of another version');
    const english = 'Bob replied to you in #a';
    expect(titleIn(serverTexts(null).t, 'message.reply', english)).to.equal(english);
  });

  it('has the digest in the language of whom it is for', () => {
    const quiet = { isBusy: false, quietHours: { isOn: false, spans: [] }, snoozedUntil: null, timeZone: null };
    const nobody = { quiet, jobId: null, sentAt: null, attendedAt: null };
    const to = { ...{ id: 'x', username: 'alice', email: 'a@example.com' }, digestMinutes: null, ...nobody };
    const message = { referenceType: 'message', referenceId: 'm' };
    const scheduled = { referenceType: 'scheduled', referenceId: 'x' };
    const place = { serverId: 's', serverName: 'Home', channelId: 'c', channelName: 'general', ...message };
    const one = { kind: 'message.mention', title: 'Bob mentioned you in #general', body: 'hello', count: 2 } as const;
    const refused = { ...one, kind: 'message.not_sent', title: 'A scheduled message was not sent' } as const;
    const nowhere = { serverId: null, serverName: null, channelId: null, channelName: null };
    const at = '2026-01-31T09:00:00.000Z';
    const parts: DigestParts = {
      to: { ...to, language: 'de', timeZone: 'Europe/Berlin', hourCycle: null },
      missed: [
        { ...one, ...place, at },
        { ...refused, ...nowhere, ...scheduled, body: errorCodes.TIMED_OUT[1], at },
      ],
      site: 'https://chat.example.com',
      unsubscribe: 'https://chat.example.com/unsubscribe?token=x',
      excerpts: true,
    };
    const mail = digestMail(new MailTemplates(), parts);
    expect(mail.subject).to.equal('Was du auf chat.example.com verpasst hast: 2 Benachrichtigungen');
    expect(mail.text).to.contain('#general in Home').and.to.contain('Bob hat dich in #general erwähnt (2-mal)');
    expect(mail.text).to.contain('https://chat.example.com/app/s/s/c/m\n');
    expect(mail.text).to.contain('https://chat.example.com/app/later/scheduled\n');
    expect(mail.text).to.contain(said.errorOf('TIMED_OUT')).and.to.not.contain(errorCodes.TIMED_OUT[1]);
    expect(mail.html).to.contain('lang="de"').and.to.contain('Hallo <b>alice</b>');
    expect(mail.text).to.match(/10:00$/m);
    const byTwelve = digestMail(new MailTemplates(), { ...parts, to: { ...parts.to, hourCycle: 'h12' } });
    expect(byTwelve.text).to.match(/10:00\sAM/);
  });

  it('has pushes in the language of whom they are for', () => {
    expect(testPayload('fr')).to.include({ body: 'Les notifications push arrivent sur cet appareil.' });
    expect(testPayload(null)).to.include({ body: 'Push notifications arrive on this device.' });
  });
});
