// nodes: own

import { expect } from 'chai';
import { grow } from '../retention/aged.ts';
import { until } from '../rig/until.ts';
import { type WebWorld, webWorld } from '../world/visitor.ts';

describe('keeping messages in the web client', () => {
  let here: WebWorld;

  before(async () => {
    here = await webWorld();
  });
  after(() => here.close());

  it('says what would go, asks for a word, and lets it go for everyone who looks', async () => {
    const { alice, bob, channel, server } = here;
    const old = await bob.say(channel.id, 'from long ago');
    const young = await bob.say(channel.id, 'an answer', { replyToId: old.id });
    await grow(here, channel.id, 40, [old.id]);
    const [owner, reader] = [await here.visit(alice), await here.visit(bob)];
    await reader.open(`/app/s/${server.id}/${channel.id}`);
    await reader.page.getByText('from long ago').first().waitFor();
    await owner.open(`/app/s/${server.id}/manage/messages`);
    await owner.page.getByLabel('Delete messages after (days)').fill('30');
    await owner.page.getByRole('button', { name: 'Save' }).click();
    const dialog = owner.page.getByRole('dialog', { name: 'Keep messages for 30 days only?' });
    await dialog.getByText('One message is older.').waitFor();
    await dialog.getByLabel(/^Type/).fill('yes');
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await dialog.getByRole('alert').waitFor();
    expect((await alice.get(`/api/servers/${server.id}`)).body.keepMessagesDays).to.equal(null);
    await dialog.getByLabel(/^Type/).fill('delete');
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await dialog.waitFor({ state: 'detached' });
    await reader.page.locator(`[data-id="${old.id}"]`).waitFor({ state: 'detached' });
    await reader.page.locator(`[data-id="${young.id}"]`).getByText('The message was deleted').waitFor();
    await reader.page.getByText('Messages here are deleted after 30 days.').waitFor();
    // Of one channel: as long as the server, until it has a number of its own. More needs no word.
    await owner.open(`/app/s/${server.id}/manage/channels`);
    await owner.page.getByRole('button', { name: 'Actions for general' }).click();
    await owner.page.getByRole('menuitem', { name: 'How long messages are kept' }).click();
    await owner.page.getByLabel('Messages are kept').selectOption('days');
    await owner.page.getByLabel('Days').fill('90');
    await owner.page.getByRole('button', { name: 'Save' }).click();
    await reader.page.getByText('Messages here are deleted after 90 days.').waitFor();
    expect([...owner.complaints, ...reader.complaints]).to.deep.equal([]);
  });

  it('shows what an edited message said before to those who may read it, and to everyone that they may', async () => {
    const { alice, bob, carol, channel, server } = here;
    await carol.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    await alice.patch(`/api/servers/${server.id}`, { keepEditHistory: true });
    const sent = await bob.say(channel.id, 'the first text');
    for (const content of ['the **second** text', 'the third text']) {
      await bob.patch(`/api/messages/${sent.id}`, { content });
    }
    const [moderator, other] = [await here.visit(alice), await here.visit(carol)];
    for (const visitor of [moderator, other]) await visitor.open(`/app/s/${server.id}/${channel.id}`);
    const label = moderator.page.getByRole('button', { name: '(edited)' });
    await label.focus();
    await moderator.page.keyboard.press('Enter');
    const dialog = moderator.page.getByRole('dialog', { name: 'Earlier versions' });
    await dialog.getByText('the first text').waitFor();
    await until(async () => (await dialog.getByRole('listitem').count()) === 2);
    expect(await dialog.getByRole('listitem').first().innerText()).to.include('the second text');
    await moderator.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await other.page.getByText('Moderators here can see earlier versions of edited messages.').waitFor();
    await other.page.getByText('(edited)').waitFor();
    expect(await other.page.getByRole('button', { name: '(edited)' }).count()).to.equal(0);
    expect([...moderator.complaints, ...other.complaints]).to.deep.equal([]);
  });
});
