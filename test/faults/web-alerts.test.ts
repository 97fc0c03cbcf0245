// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

/** Notes what the system is asked to show. */
const notes = `{
  const Real = Notification;
  globalThis.shown = [];
  globalThis.Notification = class extends Real {
    constructor(title, options) {
      super(title, options);
      shown.push(this);
    }
  };
}`;

describe('notifications of the system, by the web client', () => {
  let here: WebWorld;
  let bob: Visitor;

  before(async () => {
    here = await webWorld();
    bob = await here.visit(here.bob, { permissions: ['notifications'] });
    await bob.page.addInitScript(notes);
  });
  after(() => here.close());

  const shown = () => bob.page.evaluate<string[]>('shown.map(({ title, body }) => title + ": " + body)');
  const mention = (text: string) => here.alice.say(here.channel.id, `@${here.bob.username} ${text}`);
  const heard = (text: string) => bob.page.locator('.found', { hasText: text }).waitFor();

  it('are shown when they come after the page was read and before it is connected', async () => {
    const held = Promise.withResolvers<void>();
    await bob.page.routeWebSocket(/socket\.io/, async (socket) => {
      await held.promise;
      socket.connectToServer();
    });
    await bob.page.goto(`${here.bob.node.url}/app/notifications`, { waitUntil: 'networkidle' });
    await bob.page.getByText('No notifications yet').waitFor();
    await mention('in between');
    await until(async () => (await here.bob.get('/api/notifications')).body.length === 1);
    held.resolve();
    await heard('in between');
    await here.bob.post('/api/notifications/read-all');
  });

  it('come to those who asked for them and look at something else, and lead to what was said', async () => {
    await bob.open('/app/settings/notifications');
    const check = bob.page.getByLabel('Desktop notifications');
    expect(await check.isChecked()).to.equal(false);
    await check.check();
    await bob.open('/app/notifications');
    await mention('one looks on');
    await heard('one looks on');
    expect(await shown()).to.deep.equal([]);
    const control = await bob.page.context().newCDPSession(bob.page);
    await control.send('Emulation.setFocusEmulationEnabled', { enabled: false });
    const other = await bob.page.context().newPage();
    const looksAway = async () => {
      await other.bringToFront();
      return !(await bob.page.evaluate('document.hasFocus()'));
    };
    // A busy browser may give the focus back to the page that it is still bringing up; then nothing is to be shown.
    const isShown = async () => {
      await until(looksAway, { timeout: 15_000, message: 'The page kept the focus' });
      await here.bob.post('/api/notifications/read-all');
      await mention('one looks away');
      await until(async () => (await here.bob.get('/api/notifications?unread=true')).body.length === 1);
      const seen = until(async () => (await shown()).length > 0, { timeout: 3000 });
      return seen.then(
        () => true,
        () => false,
      );
    };
    await until(isShown, { timeout: 25_000, message: 'Nothing was shown' });
    expect((await shown())[0])
      .to.contain('mentioned you in #general')
      .and.contain('one looks away');
    // Nobody is alerted again because the words are others now, or because they are gone.
    const [{ referenceId }] = (await here.bob.get('/api/notifications?unread=true')).body;
    const count = (await shown()).length;
    await until(looksAway, { timeout: 15_000, message: 'The page kept the focus' });
    await here.alice.patch(`/api/messages/${referenceId}`, { content: `@${here.bob.username} one looks away, still` });
    await heard('one looks away, still');
    expect(await shown()).to.have.lengthOf(count);
    await bob.page.evaluate('shown.at(-1).onclick()');
    await bob.page.locator('article.target', { hasText: 'one looks away' }).waitFor();
    expect(bob.complaints).to.deep.equal([]);
  });

  it('are not promised where the browser does not allow them', async () => {
    const alice = await here.visit(here.alice);
    await alice.open('/app/settings/notifications');
    const check = alice.page.getByLabel('Desktop notifications');
    await check.click();
    await alice.page.getByText('This browser does not let Parley show notifications.').waitFor();
    await until(async () => !(await check.isChecked()));
    await alice.close();
  });
});
