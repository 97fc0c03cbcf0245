import { expect } from 'chai';
import { hourCycles, themes } from '../../src/contract/appearance.ts';
import { until } from '../rig/until.ts';
import { Device } from '../web/device.ts';
import { type World, world } from '../world/world.ts';

describe('the theme and the clock of an account', () => {
  let here: World;

  before(async () => {
    here = await world();
  });
  after(() => here.close());

  const change = (body: object) => here.alice.patch('/api/auth/me', body);
  const chosen = async () => {
    const { theme, hourCycle } = (await here.alice.get('/api/auth/me')).body;
    return { theme, hourCycle };
  };

  it('are not chosen at first, are set one by one, and go again', async () => {
    expect(await chosen()).to.deep.equal({ theme: null, hourCycle: null });
    for (const theme of themes) expect((await change({ theme })).body.theme).to.equal(theme);
    for (const hourCycle of hourCycles) {
      expect((await change({ hourCycle })).body).to.include({ hourCycle, theme: themes.at(-1) });
    }
    await change({ language: 'de' });
    expect(await chosen()).to.deep.equal({ theme: 'contrast', hourCycle: 'h23' });
    await change({ theme: null, hourCycle: null, language: null });
    expect(await chosen()).to.deep.equal({ theme: null, hourCycle: null });
  });

  it('are some of those that there are', async () => {
    for (const body of [{ theme: 'system' }, { theme: '' }, { theme: 1 }, { hourCycle: 'h24' }, { hourCycle: 12 }]) {
      const { status, body: answer } = await change(body);
      expect([status, answer.code], JSON.stringify(body)).to.deep.equal([400, 'VALIDATION_FAILED']);
    }
  });

  it('are for their owner alone, whose devices are told of a change, and of nothing else', async () => {
    const [mine, other] = [await here.alice.connect(), await here.bob.connect()];
    await change({ theme: 'dark', hourCycle: 'h12' });
    await change({ theme: 'dark' });
    await change({ theme: 'light' });
    await mine.next('account:updated', ({ theme }) => theme === 'light');
    const told = mine.all('account:updated').map(({ theme, hourCycle }) => [theme, hourCycle]);
    expect(told).to.deep.equal([
      ['dark', 'h12'],
      ['light', 'h12'],
    ]);
    expect(other.all('account:updated')).to.deep.equal([]);
    expect((await here.bob.get(`/api/auth/users/${here.alice.id}`)).body).not.to.have.any.keys('theme', 'hourCycle');
  });

  it('are followed by the pages of all of their devices, and stay with each after signing out', async () => {
    await change({ theme: null, hourCycle: null });
    const [desk, phone] = [new Device(here.alice.node.url), new Device(here.alice.node.url)];
    const tabs = [desk.open('/app', here.alice), phone.open('/app', here.alice)];
    await until(() => tabs.every((tab) => tab.app().me.peek()?.theme === null));
    const at = '2026-01-31T21:05:00.000Z';
    await change({ theme: 'dark', hourCycle: 'h23' });
    await until(() => tabs.every((tab) => tab.look().shown?.theme === 'dark'));
    await until(() => tabs.every((tab) => tab.page.texts.peek().clockTime(at) === '21:05'));
    await change({ hourCycle: 'h12' });
    await until(() => tabs.every((tab) => /^9:05\sPM$/.test(tab.page.texts.peek().clockTime(at))));
    await tabs[0]?.page.account.signOut();
    expect(tabs[0]?.look().shown?.theme).to.equal('dark');
    expect(desk.open('/app/login').look().shown?.theme).to.equal('dark');
    desk.close();
    phone.close();
  });
});
