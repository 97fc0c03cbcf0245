// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('languages in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;
  let phone: Visitor;

  before(async () => {
    here = await webWorld();
    [alice, phone] = [await here.visit(here.alice), await here.visit(here.alice)];
  });
  after(() => here.close());

  const pageOf = (visitor: Visitor) =>
    visitor.page.evaluate('[document.documentElement.lang, document.documentElement.dir].join(" ")');
  const choose = async (from: string, language: string) => {
    await alice.page.getByRole('combobox', { name: from, exact: true }).selectOption(language);
  };

  it('change on all devices at once, without a reload, and stay', async () => {
    await alice.open('/app/settings/profile');
    await phone.open('/app/friends');
    await choose('Language', 'ar');
    await alice.page.getByRole('heading', { name: 'الإعدادات' }).waitFor();
    await phone.page.getByRole('heading', { name: 'الأصدقاء', level: 1 }).waitFor();
    for (const one of [alice, phone]) await until(async () => (await pageOf(one)) === 'ar rtl');
    await alice.page.reload();
    await alice.page.getByRole('heading', { name: 'الإعدادات' }).waitFor();
    await choose('اللغة', 'fr');
    await alice.page.getByRole('heading', { name: 'Paramètres' }).waitFor();
    await until(async () => (await pageOf(phone)) === 'fr ltr');
    await choose('Langue', 'en');
    await alice.page.getByRole('heading', { name: 'Settings' }).waitFor();
  });

  it('are those of conversations, and of their tools', async () => {
    await alice.open('/app/settings/profile');
    await choose('Language', 'de');
    await alice.page.getByRole('heading', { name: 'Einstellungen' }).waitFor();
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await alice.page.getByRole('textbox', { name: /^Nachricht an #/ }).waitFor();
    for (const name of ['Angeheftete Nachrichten', 'Mitglieder', 'Dateien anhängen', 'Neue Umfrage'])
      expect(await alice.page.getByLabel(name, { exact: true }).count(), name).to.be.above(0);
    await alice.open('/app/settings/profile');
    await choose('Sprache', 'en');
    await alice.page.getByRole('heading', { name: 'Settings' }).waitFor();
  });

  it('are those of errors too, by their codes', async () => {
    const stranger = await here.visit(null);
    await stranger.open('/app/login');
    await stranger.page.getByRole('combobox', { name: 'Language' }).selectOption('de');
    await stranger.page.getByLabel('E-Mail oder Benutzername').fill('nobody@example.com');
    await stranger.page.getByLabel('Passwort').fill('not the one at all');
    await stranger.page.getByRole('button', { name: 'Anmelden', exact: true }).click();
    await stranger.page.getByText('Die E-Mail oder das Passwort ist falsch.').waitFor();
  });

  it('name the field that is wrong, and why', async () => {
    const stranger = await here.visit(null);
    await stranger.open('/app/register');
    await stranger.page.getByRole('combobox', { name: 'Language' }).selectOption('de');
    await stranger.page.getByLabel('E-Mail', { exact: true }).fill('somebody@example.com');
    await stranger.page.getByLabel('Passwort').fill('correct horse');
    await stranger.page.getByLabel('Benutzername').fill('admin');
    await stranger.page.getByRole('button', { name: 'Konto erstellen' }).click();
    await stranger.page
      .getByText('Benutzername: ist reserviert oder sieht einem reservierten Namen ähnlich.')
      .waitFor();
  });

  it('ask for a word of their own before messages are deleted', async () => {
    const owner = here.alice;
    await owner.patch('/api/auth/me', { language: 'de' });
    await alice.open(`/app/s/${here.server.id}/manage/messages`);
    const days = alice.page.getByLabel('Nachrichten löschen nach (Tagen)');
    await days.fill('30');
    await alice.page.getByRole('button', { name: 'Speichern' }).click();
    const dialog = alice.page.getByRole('dialog');
    const word = dialog.getByLabel('Tippe „löschen“ zur Bestätigung');
    await word.fill('delete');
    await dialog.getByRole('button', { name: 'Endgültig löschen' }).click();
    await dialog.getByText('Tippe „löschen“, um fortzufahren.').waitFor();
    await word.fill('Löschen');
    await dialog.getByRole('button', { name: 'Endgültig löschen' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await owner.get(`/api/servers/${here.server.id}`)).body.keepMessagesDays).to.equal(30);
    await owner.patch('/api/auth/me', { language: 'en' });
  });

  it('run from right to left without anything that reaches out of the page', async () => {
    await alice.open('/app/settings/profile');
    await choose('Language', 'ar');
    await alice.page.getByRole('heading', { name: 'الإعدادات' }).waitFor();
    for (const [width, height] of [
      [1280, 800],
      [320, 640],
    ] as const) {
      await alice.page.setViewportSize({ width, height });
      for (const path of [
        '/app/settings/profile',
        '/app/friends',
        `/app/s/${here.server.id}/manage/roles`,
        `/app/s/${here.server.id}/${here.channel.id}`,
      ]) {
        await alice.open(path);
        await alice.page.locator('main h1').waitFor();
        const over = await alice.page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect(over, `${path} at ${width}`).to.equal(0);
      }
    }
  });
});
