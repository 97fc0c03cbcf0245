// nodes: own

import { expect } from 'chai';
import { type Device, type PushService, pushService } from '../notifications/push-service.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { type Visitor, visitor } from '../world/visitor.ts';
import { type World, world } from '../world/world.ts';

describe('the web client as an app', () => {
  let service: PushService;
  let cluster: Cluster;
  let here: World;
  let bob: Visitor;

  before(async () => {
    service = await pushService();
    cluster = await startCluster({ nodes: 1, settings: { appProxyAllow: [service.host] } });
    here = await world(cluster);
  });
  beforeEach(async () => {
    bob = await visitor(here.bob.node, here.bob, { serviceWorkers: 'allow', permissions: ['notifications'] });
  });
  afterEach(() => bob.close());
  after(async () => {
    here.close();
    await cluster.stop();
    await service.close();
    expect(service.complaints).to.deep.equal([]);
  });

  const inPage = <T>(script: string) => bob.page.evaluate<T>(script);
  const kept = () =>
    inPage<string[]>(`(async () => {
      const caches_ = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
      const keys = await Promise.all(caches_.map((cache) => cache.keys()));
      return keys.flat().map(({ url }) => new URL(url).pathname);
    })()`);
  /** Opens a page, whose service worker is in charge then. */
  const openInstalled = async (path: string) => {
    await bob.open(path);
    await inPage('navigator.serviceWorker.ready.then(() => true)');
    await until(() => inPage<boolean>('navigator.serviceWorker.controller?.state === "activated"'));
  };
  const shown = () =>
    inPage<string[]>(`navigator.serviceWorker.ready.then((found) => found.getNotifications())
      .then((all) => all.map(({ title, body }) => title + ': ' + body))`);
  /**
   * Has the browser receive a push, as from its push service, and waits until the worker has done all it does with it:
   * Chromium forgets what is being shown while someone asks what is shown.
   */
  const push = async (payload: object) => {
    const [worker] = bob.page.context().serviceWorkers();
    if (!worker) throw new Error('no worker');
    await worker.evaluate(`void (globalThis.handled = new Promise((resolve, reject) => {
      PushEvent.prototype.waitUntil = function (work) {
        ExtendableEvent.prototype.waitUntil.call(this, work);
        work.then(resolve, reject);
      };
    }))`);
    const control = await bob.page.context().newCDPSession(bob.page);
    const known = new Promise<string>((resolve) =>
      control.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const [first] = registrations;
        if (first) resolve(first.registrationId);
      }),
    );
    await control.send('ServiceWorker.enable');
    const origin = new URL(bob.page.url()).origin;
    const data = JSON.stringify(payload);
    await control.send('ServiceWorker.deliverPushMessage', { origin, registrationId: await known, data });
    await worker.evaluate('handled');
    await control.detach();
  };
  const notification = (id: string, more: object) => ({
    ...{ type: 'notification', id, kind: 'message.mention', title: 'Alice', body: 'lunch?', unreadCount: 1 },
    ...{ serverId: here.server.id, channelId: here.channel.id, referenceType: null, referenceId: null },
    ...{ inviteCode: null, at: new Date().toISOString(), closed: [], ...more },
  });

  it('can be installed, with icons of all kinds', async () => {
    const { url } = here.alice.node;
    const manifest: Loose = await (await fetch(`${url}/app/manifest.webmanifest`)).json();
    expect(manifest).to.include({ start_url: '/app', scope: '/app', display: 'standalone' });
    for (const { src, type } of manifest.icons) {
      const answer = await fetch(url + src);
      expect([answer.status, answer.headers.get('content-type')], src).to.deep.equal([200, type]);
    }
    expect((await fetch(`${url}/app/icons/other.png`)).status).to.equal(404);
    const worker = await fetch(`${url}/app/sw.js`);
    expect(worker.headers.get('service-worker-allowed')).to.equal('/app');
    expect(worker.headers.get('cache-control')).to.equal('no-cache');
    expect(worker.headers.get('content-security-policy')).to.contain("default-src 'none'");
  });

  it('keeps its page and files alone', async () => {
    await openInstalled(`/app/s/${here.server.id}/${here.channel.id}`);
    await here.alice.say(here.channel.id, 'not to be kept');
    await bob.page.locator('article', { hasText: 'not to be kept' }).waitFor();
    const paths = await kept();
    expect(paths).to.include('/app');
    expect(paths.filter((path) => !/^\/app($|\/assets\/|\/icon)/.test(path))).to.deep.equal([]);
    expect(bob.complaints).to.deep.equal([]);
  });

  it('drops what it keeps on signing out, and what it shows', async () => {
    await bob.close();
    bob = await visitor(here.alice.node, here.carol, { serviceWorkers: 'allow', permissions: ['notifications'] });
    await openInstalled('/app/settings/account');
    await push(notification('one', {}));
    expect(await shown()).to.have.lengthOf(1);
    await bob.page.getByRole('button', { name: 'Sign out' }).click();
    await until(async () => (await kept()).length === 0 && (await shown()).length === 0);
  });

  it('shows the version of the server, whatever it has kept', async () => {
    await openInstalled('/app/friends');
    await inPage(`caches.keys().then(([name]) => caches.open(name))
      .then((cache) => cache.put('/app', new Response('<title>old</title>', { headers: { 'content-type': 'text/html' } })))`);
    await bob.open('/app/friends');
    expect(await bob.page.title()).to.contain('Parley');
  });

  it('shows pushes, takes them back, and leads to what they are about in the page that is open', async () => {
    await openInstalled('/app/friends');
    await push(notification('one', {}));
    expect(await shown()).to.deep.equal(['Alice: lunch?']);
    await push(notification('two', { body: 'dinner?', closed: ['one'] }));
    expect(await shown()).to.deep.equal(['Alice: dinner?']);
    const [worker] = bob.page.context().serviceWorkers();
    // The click of a script is not trusted, and so not waited for; it does the same.
    await worker?.evaluate(`registration.getNotifications().then(([notification]) => {
      dispatchEvent(new NotificationEvent('notificationclick', { notification }));
    })`);
    await bob.page.waitForURL(`**/app/s/${here.server.id}/${here.channel.id}`);
    expect(await shown()).to.deep.equal([]);
    await push({ type: 'from a later version' });
    expect(await shown()).to.deep.equal(['Parley: New notification']);
  });

  it('subscribes where it is asked to, and can be tried out', async () => {
    const device: Device = service.device();
    await bob.page.addInitScript(`{
      let current = null;
      const made = { toJSON: () => (${JSON.stringify(device.subscription)}), options: {}, unsubscribe: async () => ((current = null), true) };
      PushManager.prototype.subscribe = async function (options) {
        globalThis.asked = { userVisibleOnly: options.userVisibleOnly, key: [...options.applicationServerKey] };
        return (current = made);
      };
      PushManager.prototype.getSubscription = async () => current;
    }`);
    await openInstalled('/app/settings/notifications');
    const check = bob.page.getByLabel('Push notifications on this device');
    expect(await check.isChecked()).to.equal(false);
    await check.check();
    // The button is there before the server knows the subscription.
    await until(async () => (await here.bob.get('/api/push/subscription')).body.subscription !== null, {
      message: 'not subscribed',
    });
    await bob.page.getByRole('button', { name: 'Send a test notification' }).click();
    expect((await device.next(() => true)).payload.type).to.equal('test');
    const { publicKey } = (await here.bob.get('/api/push/key')).body;
    expect(await inPage('asked')).to.deep.equal({
      userVisibleOnly: true,
      key: [...Buffer.from(publicKey, 'base64url')],
    });
    await bob.page.getByLabel('Show who wrote what').uncheck();
    await until(async () => (await here.bob.get('/api/push/preferences')).body.preview === false);
    await check.uncheck();
    await until(async () => (await here.bob.get('/api/push/subscription')).body.subscription === null);
    expect(bob.complaints).to.deep.equal([]);
  });

  it('starts without a server', async () => {
    await openInstalled('/app/friends');
    await here.alice.node.stop();
    for (const path of ['/app', `/app/s/${here.server.id}`]) {
      await bob.page.goto(new URL(path, bob.page.url()).href);
      await bob.page.locator('.connection', { hasText: 'Offline' }).waitFor();
    }
    // Also with pages that were never opened.
    for (const [path, name] of [
      ['/app/settings/profile', 'Settings'],
      ['/app/later/saved', 'Later'],
      ['/app/discover', 'Discover'],
    ] as const) {
      await bob.page.goto(new URL(path, bob.page.url()).href);
      await bob.page.getByRole('heading', { level: 1, name }).waitFor();
    }
  });
});
