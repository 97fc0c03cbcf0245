// nodes: own

import { expect } from 'chai';
import { type MailServer, startMailServer } from '../accounts/mailbox.ts';
import { until } from '../rig/until.ts';
import type { Loose } from '../world/person.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('the settings of notifications in the web client', () => {
  let mails: MailServer;
  let here: WebWorld;
  let alice: Visitor;

  before(async () => {
    mails = await startMailServer();
    here = await webWorld({ settings: { smtpUrl: mails.url } });
    alice = await here.visit(here.alice, { viewport: { width: 320, height: 740 } });
    await alice.open('/app/settings/notifications');
  });
  after(async () => {
    await here.close();
    await mails.stop();
  });

  const settings = async (): Promise<Loose> => (await here.alice.get('/api/notifications/settings')).body;
  const block = (name: string) => alice.page.locator('.block', { has: alice.page.getByRole('heading', { name }) });

  it('take words, and give them back', async () => {
    const { page } = alice;
    for (const word of ['release', 'big deal']) {
      await page.getByLabel('Word or phrase').fill(word);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: `Remove ${word}` }).waitFor();
      // It is shown before there is an answer, and the field is free for the next one after that.
      await until(async () => (await page.getByLabel('Word or phrase').inputValue()) === '');
    }
    expect((await settings()).keywords).to.deep.equal(['release', 'big deal']);
    await page.getByRole('button', { name: 'Remove release' }).click();
    await until(async () => (await settings()).keywords.length === 1);
    // What cannot be a word stays in the field, with the reason.
    await page.getByLabel('Word or phrase').fill('++');
    await page.keyboard.press('Enter');
    await block('Keywords').getByRole('alert').waitFor();
    expect(await page.getByLabel('Word or phrase').inputValue()).to.equal('++');
  });

  it('snooze until a time, on all devices', async () => {
    const { page } = alice;
    await page.getByLabel('Until').selectOption('3-hours');
    await page.getByRole('button', { name: 'Snooze' }).click();
    await page.getByText('Snoozed until').waitFor();
    // It is shown before the answer.
    const inTwoHours = Date.now() + 2 * 3_600_000;
    await until(async () => Date.parse((await settings()).snoozedUntil) > inTwoHours);
    await here.alice.patch('/api/notifications/settings', { snoozedUntil: null });
    await page.getByRole('button', { name: 'Snooze' }).waitFor();
  });

  it('keep quiet hours of days and times that one chooses', async () => {
    const { page } = alice;
    await page.getByLabel('Use quiet hours').check();
    await until(async () => (await settings()).quietHours.spans.length === 7);
    const first = page.getByRole('group', { name: 'Quiet hours 1' });
    for (const day of ['Saturday', 'Sunday']) await first.getByLabel(day).uncheck();
    await first.getByLabel('From').fill('21:15');
    await page.getByRole('button', { name: 'Add quiet hours' }).click();
    const second = page.getByRole('group', { name: 'Quiet hours 2' });
    for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']) await second.getByLabel(day).uncheck();
    await second.getByLabel('From').fill('00:00');
    await second.getByLabel('To').fill('10:00');
    await block('Quiet hours').getByRole('button', { name: 'Save' }).click();
    const weekdays = [1, 2, 3, 4, 5].map((day) => ({ day, from: '21:15', to: '07:00' }));
    const weekend = [6, 7].map((day) => ({ day, from: '00:00', to: '10:00' }));
    await until(
      async () => (await settings()).quietHours.spans.length === 7 && page.getByText('are saved').isVisible(),
    );
    expect((await settings()).quietHours).to.deep.equal({ isOn: true, spans: [...weekdays, ...weekend] });
    await page.getByLabel('Use quiet hours').uncheck();
    await until(async () => !(await settings()).quietHours.isOn);
    expect((await settings()).quietHours.spans).to.have.lengthOf(7);
  });

  it('choose mails, and levels of servers and channels', async () => {
    const { page } = alice;
    await page.getByLabel('E-mail me what I missed').selectOption('Once a day');
    await until(async () => (await settings()).digestMinutes === 1440);
    await page.getByLabel('Home', { exact: true }).selectOption('Every message');
    await until(async () => (await settings()).serverLevels[here.server.id] === 'all');
    await page.getByLabel('#general').selectOption('Mentions');
    await until(async () => (await settings()).channelLevels[here.channel.id] === 'mentions');
    await page.getByLabel('#general').selectOption('Same as the server');
    await until(async () => Object.keys((await settings()).channelLevels).length === 0);
  });

  it('fit on a narrow screen', async () => {
    const { page } = alice;
    await page.getByLabel('Use quiet hours').check();
    await page.getByRole('group', { name: 'Quiet hours 2' }).waitFor();
    const wide = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
    expect(wide).to.equal(false);
    expect(alice.complaints).to.deep.equal([]);
  });
});
