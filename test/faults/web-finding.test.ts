// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';
import { register } from '../world/world.ts';

describe('finding one’s way in the web client', () => {
  let here: WebWorld;
  let bob: Visitor;

  before(async () => {
    // On nodes of its own: it tells what is shown where no server is public.
    here = await webWorld({});
    bob = await here.visit(here.bob);
  });
  after(() => here.close());

  const address = () => `/app/s/${here.server.id}/${here.channel.id}`;
  const panel = () => bob.page.getByRole('region', { name: 'Search' });
  const chip = (label: string) =>
    panel()
      .locator('.chip', { hasText: new RegExp(`^${label}`) })
      .locator('button')
      .first();
  const inThread = (text: string) => bob.page.locator('aside article.target', { hasText: text });
  /** Waits until that many can be found: a search waits for the index for a while, and the page does not ask again. */
  const isIndexed = (words: string, count: number) =>
    until(async () => (await here.bob.get(`/api/search/messages?query=${words}`)).body.length === count, {
      message: `${words} is not indexed`,
    });

  it('tells those who are in no server how to come into one, by a link that they were sent', async () => {
    const newcomer = await here.visit(await register(here.alice.node));
    const { page } = newcomer;
    await newcomer.open('/app');
    await page.getByRole('heading', { name: 'Welcome to Parley' }).waitFor();
    await page.getByRole('link', { name: 'Find a public server' }).click();
    await page.getByText('There are no public servers yet.').waitFor();
    const link = `http://localhost/app/invite/${here.server.inviteCode}`;
    await page.getByLabel('Invitation to a server').fill(` ${link} `);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Join Home' }).waitFor();
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('heading', { name: 'general' }).first().waitFor();
    await newcomer.go('/app/friends');
    await page.getByLabel('Username').waitFor();
    expect(await page.getByRole('heading', { name: 'Welcome to Parley' }).count()).to.equal(0);
    expect(newcomer.complaints).to.deep.equal([]);
    await newcomer.close();
  });

  it('tells those who are not signed in that an invitation does not hold any more', async () => {
    const stranger = await here.visit(null);
    await stranger.open('/app/invite/outdated');
    await stranger.page.getByText('This invitation is no longer valid.').waitFor();
    await stranger.close();
  });

  it('begins with a server that one is in, in a browser that remembers nothing', async () => {
    const newcomer = await here.visit(here.alice);
    await newcomer.open('/app');
    await newcomer.page.getByRole('heading', { name: 'general' }).first().waitFor();
    await newcomer.close();
  });

  it('leads to a conversation by its name, with the keyboard alone', async () => {
    const { page } = bob;
    const id = await here.newChannel('roadmap');
    await here.newChannel('broadcasts');
    await bob.open('/app/friends');
    await here.alice.say(id, 'unread so far');
    await page.keyboard.press('Control+k');
    const dialog = page.getByRole('dialog', { name: 'Jump to…' });
    const names = () =>
      dialog.getByRole('group', { name: 'Conversations' }).locator('.name:not(.faint)').allInnerTexts();
    // What is unread comes first, then what begins with what is typed.
    await until(async () => (await names())[0] === '#roadmap');
    await page.keyboard.type('ROAD');
    await until(async () => (await names()).join() === '#roadmap,#broadcasts');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'roadmap' }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await until(async () => await page.evaluate(`document.activeElement.id === 'composer'`));
    // What is typed right after the click is not lost.
    await page.evaluate(`(async () => {
      document.querySelector('[aria-label="Jump to…"]').click();
      for (let i = 0; i < 20; i++) await null;
      document.execCommand('insertText', false, '#nowhere');
    })()`);
    await dialog.getByText('No results').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('leads to what was said in a thread, from a search, from a notification and from a bare link', async () => {
    const parent = await here.bob.say(here.channel.id, 'a question');
    const { id } = (await here.alice.post(`/api/messages/${parent.id}/thread`, {})).body;
    for (let i = 0; i < 70; i++) await here.alice.post(`/api/threads/${id}/messages`, { content: `thought ${i}` });
    const answer = (
      await here.alice.post(`/api/threads/${id}/messages`, { content: `a needle for @${here.bob.username}` })
    ).body;
    for (let i = 70; i < 140; i++) await here.alice.post(`/api/threads/${id}/messages`, { content: `thought ${i}` });
    await isIndexed('needle', 1);
    await bob.open(address());
    await bob.page.getByRole('button', { name: 'Search' }).click();
    await bob.page.getByLabel('Words to look for').fill('needle');
    await bob.page.keyboard.press('Enter');
    await bob.page.locator('.quoted').click();
    await inThread('a needle').waitFor();
    await bob.open('/app/notifications');
    await bob.page.getByRole('link', { name: /a needle/ }).click();
    await inThread('a needle').waitFor();
    await bob.open(`${address()}/${answer.id}`);
    await inThread('a needle').waitFor();
    const texts = () => bob.page.locator('aside article .text').allInnerTexts();
    expect(await texts())
      .to.include('thought 69')
      .and.to.include('thought 70');
    await bob.page.locator('aside .to-end').click();
    await until(async () => (await texts()).includes('thought 139'));
  });

  it('looks for what one person said, or what was said in one channel', async () => {
    const { page } = bob;
    const id = await here.newChannel('plans');
    await here.alice.say(here.channel.id, 'thimble of alice');
    const { seq } = await here.bob.say(here.channel.id, 'thimble of bob');
    await here.bob.put(`/api/channels/${here.channel.id}/read`, { seq });
    await here.bob.say(id, 'thimble of bob elsewhere');
    await isIndexed('thimble', 3);
    const texts = async () => (await panel().locator('.quoted .text').allInnerTexts()).sort();
    const finds = (...wanted: string[]) =>
      until(async () => JSON.stringify(await texts()) === JSON.stringify(wanted.map((what) => `thimble of ${what}`)));
    await bob.open(address());
    await page.getByRole('button', { name: 'Search' }).click();
    await page.keyboard.type('thimble');
    await page.keyboard.press('Enter');
    await finds('alice', 'bob', 'bob elsewhere');
    // By its choice, and by what is typed: both are the same.
    await chip('From').click();
    await page.keyboard.type(here.bob.username.slice(0, -1));
    await page.getByRole('option', { name: `(@${here.bob.username})` }).click();
    await finds('bob', 'bob elsewhere');
    await chip('In').click();
    await page.getByRole('combobox', { name: 'Another channel' }).fill('plans');
    await page.getByRole('option', { name: '#plans' }).click();
    await finds('bob elsewhere');
    await panel().getByRole('button', { name: 'Remove the filter “From”' }).click();
    await page.getByLabel('Words to look for').fill('thimble from:nobody-at-all');
    await page.keyboard.press('Enter');
    await panel().getByText('Nothing was found for “thimble”.').waitFor();
    expect(await page.getByLabel('Words to look for').inputValue()).to.equal('thimble');
    await panel().getByRole('button', { name: 'From: @nobody-at-all' }).waitFor();
    await panel().getByRole('button', { name: 'Search everywhere, without filters' }).click();
    await finds('alice', 'bob', 'bob elsewhere');
    await here.bob.post('/api/notifications/read-all');
  });

  it('keeps what it has found beside what one opens, with the words marked in both', async () => {
    const { page } = bob;
    const path = await here.newChannel('lanterns');
    await here.alice.say(path, 'a Lantern by the door');
    await here.alice.say(here.channel.id, 'one more lantern');
    await isIndexed('lantern', 2);
    await bob.open(address());
    await page.getByRole('button', { name: 'Search' }).click();
    await page.keyboard.type('lantern');
    await page.keyboard.press('Enter');
    const hit = panel().getByRole('link', { name: /by the door/ });
    await hit.locator('mark', { hasText: 'Lantern' }).waitFor();
    await hit.click();
    await page.locator('article.target', { hasText: 'by the door' }).waitFor();
    const marked = () => page.evaluate(`[...(CSS.highlights.get('found') ?? [])].map((range) => String(range)).join()`);
    await until(async () => (await marked()) === 'Lantern');
    expect(await hit.getAttribute('aria-current')).to.equal('true');
    await hit.focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.locator('article.target', { hasText: 'one more lantern' }).waitFor();
    expect(await panel().locator('.quoted .text').count()).to.equal(2);
    await bob.go('/app/friends');
    await page.getByRole('heading', { level: 1, name: 'Friends' }).waitFor();
    expect(await panel().locator('.quoted .text').count()).to.equal(2);
    await panel().getByRole('button', { name: 'Close' }).click();
    await panel().waitFor({ state: 'detached' });
    await until(async () => (await marked()) === '');
  });

  it('gives way to what it has found where there is no room for both', async () => {
    const phone = await here.visit(here.bob, { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true });
    const { page } = phone;
    await here.alice.say(here.channel.id, 'a narrow corridor');
    await isIndexed('corridor', 1);
    await phone.open(address());
    await page.getByRole('button', { name: 'Search' }).tap();
    // What a tap does comes after the finger is gone.
    await until(() => page.evaluate<boolean>(`document.activeElement.name === 'query'`));
    await page.keyboard.type('corridor');
    await page.keyboard.press('Enter');
    const beside = page.getByRole('region', { name: 'Search' });
    await beside.locator('.quoted').first().tap();
    await page.locator('article.target', { hasText: 'a narrow corridor' }).waitFor();
    await beside.waitFor({ state: 'detached' });
    // What was found is there again.
    await page.getByRole('button', { name: 'Search' }).tap();
    await beside.locator('.quoted', { hasText: 'corridor' }).first().waitFor();
    expect(phone.complaints).to.deep.equal([]);
    await phone.close();
  });

  it('looks everywhere that one may read, from any place', async () => {
    const { page } = bob;
    const { alice } = here;
    const { body: other } = await here.bob.post('/api/servers', { name: 'Elsewhere' });
    const [away] = (await here.bob.get(`/api/servers/${other.id}/channels`)).body;
    const dm = (await alice.post('/api/dm/channels', { userId: here.bob.id })).body;
    await here.bob.say(away.id, 'quokka elsewhere');
    await alice.post(`/api/dm/channels/${dm.id}/messages`, { content: 'quokka between us' });
    await alice.say(here.channel.id, 'quokka here');
    await isIndexed('quokka', 3);
    const found = panel().locator('.quoted .text');
    const finds = (...wanted: string[]) =>
      until(async () => (await found.allInnerTexts()).join() === wanted.map((where) => `quokka ${where}`).join());
    const search = async (where: string) => {
      await chip('In').click();
      await page.getByRole('radio', { name: where, exact: true }).click();
    };
    await bob.open(address());
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByLabel('Words to look for').fill('quokka');
    await page.keyboard.press('Enter');
    await finds('here');
    await search('#general');
    await finds('here');
    await search('Everywhere');
    await finds('here', 'between us', 'elsewhere');
    await panel().getByText(`in #${away.name} of Elsewhere`).waitFor();
    await page.getByLabel('Words to look for').fill('quokka from:me');
    await page.keyboard.press('Enter');
    await finds('elsewhere');
    await panel().locator('.quoted').click();
    await until(() => page.url().includes(`${other.id}/${away.id}`));
    await panel().getByRole('button', { name: 'Close' }).click();
  });

  it('leads from an answer in a thread to what it answers, wherever that was said', async () => {
    const question = await here.bob.say(here.channel.id, 'a question for all');
    const parent = await here.bob.say(here.channel.id, 'where it is talked about');
    const { id } = (await here.alice.post(`/api/messages/${parent.id}/thread`, {})).body;
    await here.alice.post(`/api/threads/${id}/messages`, { content: 'as I said' });
    await here.alice.post(`/api/threads/${id}/messages`, { content: 'an answer', replyToId: question.id });
    // Where it was last, it may be over the message, whose buttons would cover the link.
    await bob.page.mouse.move(0, 0);
    await bob.open(`${address()}/thread/${id}`);
    await bob.page.locator('aside .reply').click();
    await bob.page.locator('article.target', { hasText: 'a question for all' }).waitFor();
    await bob.page.locator('aside.thread').waitFor({ state: 'detached' });
  });

  it('counts what is unread in servers that were not looked at, and in the title of the page', async () => {
    const other = (await here.alice.post('/api/servers', { name: 'Other' })).body;
    await here.bob.post(`/api/servers/${other.id}/join`, { inviteCode: other.inviteCode });
    const [{ id }] = (await here.alice.get(`/api/servers/${other.id}/channels`)).body;
    await here.alice.say(id, 'one');
    await bob.open('/app/friends');
    const badge = bob.page.getByRole('link', { name: 'Other' }).locator('.badge');
    await badge.filter({ hasText: '1' }).waitFor();
    await here.bob.post('/api/notifications/read-all');
    await until(async () => (await bob.page.title()) === 'Friends · Parley');
    await here.alice.say(id, `two, for @${here.bob.username}`);
    await badge.filter({ hasText: '2' }).waitFor();
    await until(async () => (await bob.page.title()) === '(1) Friends · Parley');
    await bob.go(`/app/s/${other.id}/${id}`);
    await until(async () => (await bob.page.title()) === '#general · Parley');
    await badge.waitFor({ state: 'detached' });
  });

  it('sets apart what is meant for one from what is merely unread, in all lists', async () => {
    const id = await here.newChannel('lively');
    await bob.open('/app/friends');
    const server = bob.page.getByRole('link', { name: 'Home' });
    await here.alice.say(id, 'said to all');
    await server.locator('.badge.quiet', { hasText: /^1 unread$/ }).waitFor();
    await here.alice.say(id, `said to @${here.bob.username}`);
    await server.locator('.badge:not(.quiet)', { hasText: '2 unread, some for you' }).waitFor();
    await bob.go(`/app/s/${here.server.id}/${here.channel.id}`);
    const channel = bob.page.getByRole('link', { name: 'lively' });
    await channel.locator('.badge:not(.quiet)', { hasText: '2' }).waitFor();
    await here.bob.post('/api/notifications/read-all');
    await channel.locator('.badge.quiet', { hasText: '2' }).waitFor();
  });

  it('leads back to where one has typed something and not sent it, also in another tab and after a reload', async () => {
    const mark = bob.page.getByRole('link', { name: 'general draft' });
    const other = await bob.page.context().newPage();
    await bob.open(address());
    const elsewhere = await here.newChannel('elsewhere');
    await other.goto(bob.page.url().replace(here.channel.id, elsewhere));
    await bob.page.locator('#composer').fill('half a thought');
    await other.getByRole('link', { name: 'general draft' }).waitFor();
    expect(await mark.count()).to.equal(0);
    await bob.open(`/app/s/${here.server.id}/${elsewhere}`);
    await mark.click();
    await bob.page.locator('#composer').fill('');
    await bob.go(`/app/s/${here.server.id}/${elsewhere}`);
    await bob.page.getByRole('heading', { level: 1, name: 'elsewhere' }).waitFor();
    expect(await mark.count()).to.equal(0);
    await other.getByRole('link', { name: 'general draft' }).waitFor({ state: 'detached' });
    await other.close();
  });

  it('names those who reacted', async () => {
    const message = await here.alice.say(here.channel.id, 'cheers');
    for (const who of [here.alice, here.bob]) await who.post(`/api/messages/${message.id}/reactions`, { emoji: '🎉' });
    await bob.open(address());
    const reaction = bob.page.getByRole('button', { name: '🎉, 2' });
    await until(async () => (await reaction.getAttribute('title')) === `${here.alice.username} and You`);
    expect(bob.complaints).to.deep.equal([]);
  });

  it('marks what it finds, and finds people, channels and files too', async () => {
    const { page } = bob;
    const id = await here.newChannel('lighthouse-plans');
    await here.alice.patch('/api/auth/me', { displayName: 'Lighthouse Keeper' });
    await here.alice.say(here.channel.id, 'we meet at the lighthouse/pier');
    const notes = await here.alice.upload('lighthouse notes.txt', new TextEncoder().encode('nothing yet'));
    await here.alice.post(`/api/channels/${here.channel.id}/messages`, {
      content: '',
      attachments: [{ id: notes.id }],
    });
    await isIndexed('lighthouse', 2);
    await bob.open(address());
    await page.getByRole('button', { name: 'Search' }).click();
    const ask = async (query: string) => {
      await panel().getByLabel('Words to look for').fill(query);
      await page.keyboard.press('Enter');
    };
    await ask('LIGHTHOUSE');
    await panel()
      .locator('.text mark', { hasText: /^lighthouse$/ })
      .first()
      .waitFor();
    for (const [heading, name] of [
      ['People', /Lighthouse Keeper/],
      ['Channels', /#lighthouse-plans/],
      ['Files', /lighthouse notes\.txt/],
    ] as const) {
      const section = panel().locator('section', { has: page.getByRole('heading', { name: heading }) });
      await section.getByText(name).waitFor();
    }
    await ask(`pier from:${here.alice.username} has:link`);
    await panel()
      .getByText(/^Nothing was found/)
      .waitFor();
    await panel().getByRole('button', { name: 'Remove the filter “With”' }).click();
    await panel().locator('.text mark', { hasText: 'pier' }).waitFor();
    await panel().getByRole('button', { name: 'Remove the filter “From”' }).click();
    await chip('Order').click();
    await page.getByRole('radio', { name: 'Most relevant first' }).click();
    await ask('lighthouse');
    await panel().getByRole('link', { name: '#lighthouse-plans' }).click();
    await until(() => page.url().includes(id));
    await page.keyboard.press('Escape');
    expect(bob.complaints).to.deep.equal([]);
  });

  it('follows a link to a message again and again, sets it apart for a while, and reloads where one is', async () => {
    const { page } = bob;
    const id = await here.newChannel('long');
    const first = await here.alice.say(id, 'where it began');
    for (let i = 0; i < 70; i++) await here.alice.say(id, `line ${i}`);
    await here.alice.post(`/api/channels/${id}/messages`, { content: 'an answer', replyToId: first.id });
    await bob.open(`/app/s/${here.server.id}/${id}`);
    const target = page.locator('article.target', { hasText: 'where it began' });
    const newest = page.locator('article', { hasText: 'an answer' });
    for (let i = 0; i < 2; i++) {
      await page.mouse.move(0, 0);
      await newest.locator('.reply').click();
      await target.waitFor();
      await until(() => page.url().endsWith(id));
      await page.getByRole('button', { name: 'Jump to the newest' }).click();
      await until(() =>
        newest.evaluate(
          (element) => element.getBoundingClientRect().bottom <= element.ownerDocument.documentElement.clientHeight,
        ),
      );
    }
    await page.reload();
    await newest.waitFor();
    await until(() =>
      newest.evaluate(
        (element) => element.getBoundingClientRect().bottom <= element.ownerDocument.documentElement.clientHeight,
      ),
    );
    expect(await page.locator('article.target').count()).to.equal(0);
    await newest.locator('.reply').click();
    await target.waitFor();
    await target.waitFor({ state: 'detached' });
    await page.locator(`article[data-id="${first.id}"]`).waitFor();
    expect(bob.complaints).to.deep.equal([]);
  });

  it('leads to people, messages and actions from where one types their names', async () => {
    const { page } = bob;
    await here.alice.say(here.channel.id, 'the zeppelin is late');
    await here.carol.post(`/api/servers/${here.server.id}/join`, { inviteCode: here.server.inviteCode });
    await isIndexed('zeppelin', 1);
    await bob.open(address());
    const dialog = page.getByRole('dialog', { name: 'Jump to…' });
    const option = (group: string, name: string | RegExp) =>
      dialog.getByRole('group', { name: group }).getByRole('option', { name });
    const type = async (text: string) => {
      await page.keyboard.press('Control+k');
      await dialog.waitFor();
      await page.keyboard.type(text);
    };
    await type('zeppel');
    await option('Messages', /the zeppelin is late/).click();
    await page.locator('article.target', { hasText: 'zeppelin' }).waitFor();
    await type('zeppelin');
    // What is found comes above the other option, and moves it.
    await option('Messages', /the zeppelin is late/).waitFor();
    await option('Messages', 'Search messages for “zeppelin”').click();
    await panel().locator('.quoted', { hasText: 'zeppelin' }).waitFor();
    await page.keyboard.press('Escape');
    await type(`@${here.carol.username}`);
    await option('People', new RegExp(here.carol.username)).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: here.carol.username }).waitFor();
    await type('>later');
    await option('Actions', 'Later').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Later' }).waitFor();
    await type('create serv');
    await option('Actions', 'Create a server').click();
    await page.getByRole('dialog', { name: 'Create a server' }).waitFor();
    await page.keyboard.press('Escape');
    expect(bob.complaints).to.deep.equal([]);
  });

  it('shows the members beside the conversation, also after a reload, and only where there are some', async () => {
    const { page } = bob;
    await bob.open(address());
    const members = page.getByRole('region', { name: 'Members' });
    await page.getByRole('button', { name: 'Members' }).click();
    await members.getByRole('heading', { name: /^Online · / }).waitFor();
    await members
      .locator('li', { hasText: `@${here.bob.username}` })
      .locator('.presence.online')
      .waitFor();
    await page.reload();
    await members.locator('li').first().waitFor();
    await bob.go('/app/friends');
    await members.waitFor({ state: 'detached' });
    await bob.go(address());
    await members.locator('li', { hasText: `@${here.alice.username}` }).waitFor();
    await page.keyboard.press('Control+.');
    await members.waitFor({ state: 'detached' });
    expect(bob.complaints).to.deep.equal([]);
  });
});
