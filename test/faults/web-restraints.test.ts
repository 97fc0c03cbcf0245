// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import type { Loose } from '../world/person.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

describe('timeouts and slow mode in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;
  let bob: Visitor;

  before(async () => {
    here = await webWorld();
    [alice, bob] = [
      await here.visit(here.alice),
      await here.visit(here.bob, { viewport: { width: 320, height: 640 } }),
    ];
  });
  after(() => here.close());

  const composer = () => bob.page.locator('#composer');
  const openMenu = async () => {
    await alice.open(`/app/s/${here.server.id}/manage/members`);
    await alice.page.getByRole('button', { name: `Actions for ${here.bob.username}` }).click();
  };

  it('time a member out, tell them why and for how long, and let them off again', async () => {
    await bob.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await composer().fill('half a sentence');
    await openMenu();
    await alice.page.getByRole('menuitem', { name: 'Time out' }).click();
    const dialog = alice.page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('calm down');
    await dialog.getByLabel('How long').selectOption('For an hour');
    await dialog.getByRole('button', { name: 'Time out' }).click();
    await alice.page.getByText('timed out until').waitFor();
    await bob.page.getByText(/You are timed out: .* write again in .*Reason: calm down/).waitFor();
    await composer().waitFor({ state: 'detached' });
    // It is known again after a reload.
    await bob.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await bob.page.getByText(/Reason: calm down/).waitFor();
    await openMenu();
    await alice.page.getByRole('menuitem', { name: 'End the timeout' }).click();
    await alice.page.getByRole('dialog').getByRole('button', { name: 'End it' }).click();
    await composer().waitFor();
    expect(await composer().inputValue()).to.equal('half a sentence');
    await until(async () => (await alice.page.getByText('timed out until').count()) === 0);
  });

  it('open the composer by itself when a timeout is over', async () => {
    const at = `/api/servers/${here.server.id}/members/${here.bob.id}/timeout`;
    await here.alice.put(at, { seconds: 10 });
    await bob.page.getByText(/You are timed out/).waitFor();
    await composer().waitFor();
  });

  it('set slow mode, and hold the user until they may write again', async () => {
    await alice.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await alice.page.getByRole('button', { name: 'More', exact: true }).click();
    await alice.page.getByRole('menuitem', { name: 'Edit the channel' }).click();
    const dialog = alice.page.getByRole('dialog');
    await dialog.getByLabel('Slow mode').selectOption('10 seconds');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await bob.page.getByText('Slow mode: one message every 10 seconds.').waitFor();
    await composer().fill('first');
    await bob.page.getByRole('button', { name: 'Send', exact: true }).click();
    await bob.page.getByText(/Slow mode: you can write again in 0:/).waitFor();
    await composer().fill('second');
    expect(await bob.page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).to.equal(true);
    await bob.page.getByText('Slow mode: one message every 10 seconds.').waitFor();
    await bob.page.getByRole('button', { name: 'Send', exact: true }).click();
    await alice.page.getByText('second', { exact: true }).waitFor();
    // It holds no moderators.
    expect(await alice.page.getByText(/Slow mode: one message/).count()).to.equal(0);
  });

  it('delete the last messages of a member', async () => {
    await openMenu();
    await alice.page.getByRole('menuitem', { name: 'Delete recent messages' }).click();
    const dialog = alice.page.getByRole('dialog');
    await dialog.getByLabel('Messages to delete').selectOption('Last 24 hours');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await alice.page.getByText('About 2 messages are being deleted.').waitFor();
    await until(async () => {
      const { body } = await here.alice.get(`/api/channels/${here.channel.id}/messages`);
      return body.messages.every(({ authorId }: Loose) => authorId !== here.bob.id);
    });
    expect([...alice.complaints, ...bob.complaints]).to.deep.equal([]);
  });
});
