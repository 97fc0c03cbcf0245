// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('what people write, in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;
  let bob: Visitor;
  let away: string;

  before(async () => {
    here = await webWorld();
    away = await here.newChannel('Dev Ops (new)');
    alice = await here.visit(here.alice);
    bob = await here.visit(here.bob, { viewport: { width: 320, height: 640 } });
    for (const one of [alice, bob]) await one.open(`/app/s/${here.server.id}/${here.channel.id}`);
  });
  after(() => here.close());

  const message = (of: Visitor, text: string) => of.page.locator('article[data-id]', { hasText: text });

  it('names a channel of any name as one reads it, wherever the text is shown, and leads there', async () => {
    const { page } = alice;
    await page.locator('#composer').pressSequentially('look into #Dev');
    await page.getByRole('option').first().waitFor();
    await page.locator('#composer').press('Enter');
    expect(await page.locator('#composer').inputValue()).to.equal('look into <#Dev Ops (new)> ');
    await page.locator('#composer').press('Enter');
    const said = message(bob, 'look into').first();
    expect(await said.locator('.text').innerText()).to.equal('look into #Dev Ops (new)');
    const sent = (await here.alice.get(`/api/channels/${here.channel.id}/messages?limit=1`)).body.messages[0];
    await here.bob.say(here.channel.id, `it is <#${away}>`, { replyToId: sent.id });
    await here.bob.say(here.channel.id, 'that one', { replyToId: sent.id });
    const reply = message(alice, 'that one').locator('.reply');
    await reply.getByText('look into #Dev Ops (new)').waitFor();
    await message(alice, 'it is').getByRole('link', { name: '#Dev Ops (new)' }).last().click();
    await page.getByRole('heading', { name: 'Dev Ops (new)' }).first().waitFor();
    expect(new URL(page.url()).pathname).to.equal(`/app/s/${here.server.id}/${away}`);
    await alice.go(`/app/s/${here.server.id}/${here.channel.id}`);
  });

  it('shows an id that stands for nobody known as such', async () => {
    const id = '019a9d3e-7a3c-7b1e-9c55-3f0d7a1c2b4d';
    await here.bob.say(here.channel.id, `ghosts: <@${id}> <#${id}> \`<@${id}>\``);
    const text = message(alice, 'ghosts:').locator('.text');
    expect(await text.innerText()).to.equal(`ghosts: @unknown user #unknown channel <@${id}>`);
  });

  it('opens the profile of whoever is named, with what they are there, and gives the focus back', async () => {
    const { page } = alice;
    await here.bob.put('/api/auth/me/custom-status', { emoji: '🌴', text: 'On holiday' });
    await here.alice.say(here.channel.id, `ask @${here.bob.username} about it`);
    const name = message(alice, 'about it').getByRole('button', { name: `@${here.bob.username}` });
    await name.press('Enter');
    const card = page.getByRole('dialog');
    await card.getByText(`@${here.bob.username}`, { exact: true }).waitFor();
    await card.getByText('🌴 On holiday').waitFor();
    await card.getByText('In Home since').waitFor();
    await page.keyboard.press('Escape');
    await card.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.className')).to.equal('mention');
    await here.bob.say(here.channel.id, 'from the beach');
    await message(alice, 'from the beach').getByRole('img', { name: '🌴 On holiday' }).waitFor();
    await message(alice, 'from the beach').locator('.person.picture').click();
    await card.getByRole('button', { name: 'Message' }).click();
    await until(() => new URL(page.url()).pathname.startsWith('/app/dm/'));
    expect(await card.count()).to.equal(0);
    await page.locator('.topic', { hasText: 'On holiday' }).waitFor();
    await alice.go(`/app/s/${here.server.id}/${here.channel.id}`);
  });

  it('shows the profile whole at 320 pixels, and closes it by a press beside it', async () => {
    const { page } = bob;
    await message(bob, 'about it').locator('.person.picture').click();
    const card = page.getByRole('dialog');
    await card.getByRole('button', { name: 'Add friend' }).waitFor();
    const { x, y, width, height } = (await card.boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
    expect([x, y + height]).to.deep.equal([0, 640]);
    expect(width).to.equal(320);
    await page.mouse.click(160, y / 2);
    await card.waitFor({ state: 'detached' });
    await message(bob, 'from the beach').locator('.author').click();
    await card.getByRole('link', { name: 'Edit profile' }).click();
    await card.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Profile' }).first().waitFor();
    await bob.go(`/app/s/${here.server.id}/${here.channel.id}`);
  });

  it('has tasks, rules, deeper headings and escapes', async () => {
    await here.bob.say(here.channel.id, 'plan \\*now\\*:\n- [x] dig\n- [ ] plant\n\n---\n#### Later\nwww.example.com');
    const text = message(alice, 'plan *now*:').locator('.text');
    expect(await text.getByRole('checkbox', { name: 'Done', exact: true }).isChecked()).to.equal(true);
    expect(await text.getByRole('checkbox', { name: 'Not done' }).isDisabled()).to.equal(true);
    expect(await text.locator('hr').count()).to.equal(1);
    expect(await text.getByRole('heading', { level: 6 }).innerText()).to.equal('Later');
    expect(await text.getByRole('link').getAttribute('href')).to.equal('https://www.example.com');
  });

  it('begins previews in other scripts where all others begin', async () => {
    const { body } = await here.bob.post(`/api/channels/${here.channel.id}/messages`, { content: 'مرحبا بكم جميعا' });
    await here.bob.say(here.channel.id, 'the answer', { replyToId: body.id });
    const reply = message(alice, 'the answer').locator('.reply');
    await reply.waitFor();
    const gap = `(() => {
      const all = [...document.querySelectorAll('article .reply')].at(-1);
      const range = document.createRange();
      range.selectNodeContents(all);
      return range.getBoundingClientRect().left - all.getBoundingClientRect().left;
    })()`;
    expect(await alice.page.evaluate<number>(gap)).to.be.below(40);
    expect(alice.complaints).to.deep.equal([]);
  });
});
