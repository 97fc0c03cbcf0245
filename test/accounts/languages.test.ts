import { expect } from 'chai';
import { acceptedLanguage, languages } from '../../src/contract/languages.ts';
import { until } from '../rig/until.ts';
import { Device } from '../web/device.ts';
import { type World, world } from '../world/world.ts';

const one = 'Europe/Berlin';

describe('the language and the time zone of an account', () => {
  let here: World;

  before(async () => {
    here = await world();
  });
  after(() => here.close());

  const change = (body: object) => here.alice.patch('/api/auth/me', body);
  const chosen = async () => {
    const { language, timeZone } = (await here.alice.get('/api/auth/me')).body;
    return { language, timeZone };
  };

  it('are not chosen at first, are set, and go again', async () => {
    expect(await chosen()).to.deep.equal({ language: null, timeZone: null });
    for (const language of languages) {
      expect((await change({ language })).body.language).to.equal(language);
      expect(await chosen()).to.deep.equal({ language, timeZone: null });
    }
    expect((await change({ timeZone: one })).body).to.include({ language: 'ar', timeZone: one });
    expect((await change({ displayName: 'Alice' })).body).to.include({ language: 'ar', timeZone: one });
    await change({ language: null, timeZone: null });
    expect(await chosen()).to.deep.equal({ language: null, timeZone: null });
  });

  it('are names that exist, in their usual spelling', async () => {
    for (const body of [
      ...['xx', 'EN', 'de-AT', ''].map((language) => ({ language })),
      ...['Nowhere/Town', '+01:00', '', 'x'.repeat(5000), 'Europe/Berlin '].map((timeZone) => ({ timeZone })),
    ]) {
      const { status, body: answer } = await change(body);
      expect([status, answer.code], JSON.stringify(body).slice(0, 60)).to.deep.equal([400, 'VALIDATION_FAILED']);
    }
    expect((await change({ timeZone: 'america/new_york' })).body.timeZone).to.equal('America/New_York');
    expect((await change({ timeZone: 'UTC' })).body.timeZone).to.equal('UTC');
  });

  it('are for their owner alone, whose devices are told of a change, and of nothing else', async () => {
    const [mine, other] = [await here.alice.connect(), await here.bob.connect()];
    await change({ language: 'fr', timeZone: one });
    await change({ language: 'fr', timeZone: one });
    await change({ language: 'ja' });
    await mine.next('account:updated', ({ language }) => language === 'ja');
    const told = mine.all('account:updated').map(({ language, timeZone }) => ({ language, timeZone }));
    expect(told).to.deep.equal(['fr', 'ja'].map((language) => ({ language, timeZone: one })));
    expect(other.all('account:updated')).to.deep.equal([]);
    const profile = (await here.bob.get(`/api/auth/users/${here.alice.id}`)).body;
    expect(profile).not.to.have.any.keys('language', 'timeZone');
  });

  it('are filled in by the web client with what its browser says, where nothing was chosen', async () => {
    await change({ language: null, timeZone: 'Asia/Tokyo' });
    const device = new Device(here.alice.node.url);
    device.languages = ['pt-BR', 'de-AT', 'fr'];
    device.timeZone = one;
    const tab = device.open('/app', here.alice);
    await until(() => tab.app().me.peek()?.language === 'de');
    device.close();
    expect(await chosen()).to.deep.equal({ language: 'de', timeZone: 'Asia/Tokyo' });
  });
});

describe('the language that a browser asks for', () => {
  it('is the one with the highest weight of those that there are texts for', () => {
    expect(acceptedLanguage('pt-BR,pt;q=0.9,fr-CA;q=0.8,en;q=0.7')).to.equal('fr');
    expect(acceptedLanguage('en;q=0.2, ar-EG ; q=0.9')).to.equal('ar');
    expect(acceptedLanguage('DE')).to.equal('de');
    expect(acceptedLanguage('de;q=0, es;q=0.1')).to.equal('es');
  });

  it('is none where it names none of them, or no language at all', () => {
    for (const header of [undefined, '', '*', 'pt', 'den', ';;q=', 'de;q=x', ','.repeat(100_000)])
      expect(acceptedLanguage(header), header?.slice(0, 20)).to.equal(null);
  });
});
