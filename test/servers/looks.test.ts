import { expect } from 'chai';
import { expectError } from '../rest/verdict.ts';
import { until } from '../rig/until.ts';
import { Device } from '../web/device.ts';
import { type World, world } from '../world/world.ts';

const looks = { mark: '🌱', accentColor: '#1a2b3c' };

describe('the mark and the colour of a server', () => {
  let here: World;

  before(async () => {
    here = await world();
  });
  after(() => here.close());

  const at = () => `/api/servers/${here.server.id}`;

  it('are given to a new one or later, go again, and are seen by whoever sees the server', async () => {
    const { alice, bob } = here;
    expect((await alice.get(at())).body).to.include({ mark: null, accentColor: null });
    const mine = await bob.connect();
    expect((await alice.patch(at(), looks)).body).to.include(looks);
    const told = await mine.next('server:updated', ({ server }) => server.mark !== null);
    expect(told.server).to.include(looks);
    expect((await bob.get('/api/servers')).body[0]).to.include(looks);
    expect((await bob.get(`/api/servers/invite/${here.server.inviteCode}`)).body).to.include(looks);
    await alice.patch(at(), { name: 'Another' });
    expect((await bob.get(at())).body).to.include(looks);
    const made = await alice.post('/api/servers', { name: 'New', isPublic: true, ...looks });
    expect(made.body).to.include(looks);
    expect((await bob.get(`/api/servers/${made.body.id}`)).body).to.include(looks);
    await alice.patch(at(), { mark: null, accentColor: null });
    expect((await bob.get(at())).body).to.include({ mark: null, accentColor: null });
  });

  it('are set by those who may change the server, which the audit log says', async () => {
    const { alice, bob } = here;
    expectError(await bob.patch(at(), looks), 'ROLE_REQUIRED');
    await alice.patch(at(), looks);
    const [entry] = (await alice.get(`${at()}/audit`)).body;
    expect(entry.action).to.equal('server.update');
    expect(JSON.stringify(entry)).to.contain('accentColor').and.contain('mark');
  });

  it('are one or two characters, however many code points, and a colour', async () => {
    for (const mark of ['P', 'ab', 'é!', '👩‍👩‍👧‍👦', '🇪🇺🇫🇷', '👍🏽', '日本'])
      expect((await here.alice.patch(at(), { mark })).body.mark, mark).to.equal(mark);
    for (const body of [
      ...['', ' ', 'abc', '🌱🌱🌱', 'a\nb', '\u202eab', '\u200b', 'x'.repeat(5000)].map((mark) => ({ mark })),
      ...['red', '#fff', '#12345g', '1a2b3c', '#1a2b3c4d', ''].map((accentColor) => ({ accentColor })),
    ])
      expectError(await here.alice.patch(at(), body), 'VALIDATION_FAILED');
  });

  it('colour the page while someone is in the server', async () => {
    await here.alice.patch(at(), looks);
    const device = new Device(here.bob.node.url);
    const tab = device.open(`/app/s/${here.server.id}/${here.channel.id}`, here.bob);
    await tab.app().servers.load();
    await until(() => tab.look().accent === looks.accentColor);
    tab.page.navigate('/app/friends');
    expect(tab.look().accent).to.equal(null);
    tab.page.navigate(`/app/s/${here.server.id}`);
    expect(tab.look().accent).to.equal(looks.accentColor);
    await tab.page.account.signOut();
    expect(tab.look().accent).to.equal(null);
    device.close();
  });
});
