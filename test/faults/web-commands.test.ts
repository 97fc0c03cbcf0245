// nodes: own

import { expect } from 'chai';
import { type Bot, botIn } from '../world/bot.ts';
import type { Listener, Loose } from '../world/person.ts';
import { type Visitor, type WebWorld, webWorld } from '../world/visitor.ts';

const options = [
  { type: 'text', name: 'city', description: 'Where', required: true, completes: true },
  { type: 'number', name: 'days', min: 1, max: 5 },
  { type: 'choice', name: 'unit', choices: [{ value: 'f', label: 'Fahrenheit' }] },
  { type: 'user', name: 'whose' },
  { type: 'file', name: 'map' },
];

describe('commands in the web client', () => {
  let here: WebWorld;
  let alice: Visitor;
  let bob: Visitor;
  let robot: Bot;
  let ear: Listener;

  before(async () => {
    here = await webWorld();
    robot = await botIn(here.server, here.alice);
    const commands = [{ name: 'weather', description: 'What it is like outside', aliases: ['w'], options }];
    await here.alice.put(`/api/agents/${robot.agentId}/slash-commands`, { commands });
    ear = await robot.connect();
    ear.socket.on('command:complete', ({ id, typed }: Loose) => {
      const choices = typed === 'os' ? [{ value: 'oslo', label: 'Oslo, Norway' }] : [];
      ear.socket.emit('command:choices', { id, choices });
    });
    alice = await here.visit(here.alice);
    bob = await here.visit(here.bob);
  });
  after(async () => {
    robot.hangUp();
    await here.close();
  });

  it('are offered with what they ask for, which the bot completes while someone types', async () => {
    const { page } = bob;
    await bob.open(`/app/s/${here.server.id}/${here.channel.id}`);
    await page.locator('#composer').pressSequentially('/we');
    await page.getByRole('option', { name: /^\/weather city \[days\] \[unit\] \[whose\] \[map\]/ }).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: '/weather' });
    await dialog.getByText('What it is like outside').waitFor();
    await page.keyboard.type('os');
    await dialog.getByRole('option', { name: 'Oslo, Norway' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await dialog.getByRole('combobox', { name: 'city' }).inputValue()).to.equal('Oslo, Norway');
    await dialog.getByLabel('days (optional)').fill('3');
    await dialog.getByLabel('unit (optional)').selectOption('f');
    await dialog.getByRole('combobox', { name: 'whose (optional)' }).fill(here.alice.username);
    await dialog
      .getByRole('option', { name: new RegExp(here.alice.username) })
      .first()
      .click();
    await dialog.getByLabel('map (optional)').setInputFiles({
      name: 'map.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('here be dragons'),
    });
    await dialog.getByRole('button', { name: 'Run it' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { values, command } = await ear.next('interaction:created');
    expect(values).to.deep.include({ city: 'oslo', days: 3, unit: 'f', whose: here.alice.id });
    expect(command.resolved.files[values.map].filename).to.equal('map.txt');
    expect(bob.complaints).to.deep.equal([]);
  });

  it('that are typed out run as they are, or ask for what is missing, and say what does not fit', async () => {
    const { page } = bob;
    const composer = page.locator('#composer');
    await composer.pressSequentially('/wea');
    await page.getByRole('option', { name: /^\/weather/ }).waitFor();
    await composer.press('Tab');
    expect(await composer.inputValue()).to.equal('/weather ');
    const hint = page.locator('.arguments');
    await hint.locator('.now', { hasText: 'city' }).waitFor();
    await composer.pressSequentially('"Oslo" unit:');
    await hint.getByText('Fahrenheit').waitFor();
    await composer.fill('/weather city:"New York" unit:fahrenheit');
    await composer.press('Enter');
    const typed = await ear.next('interaction:created', (one) => one.values.city === 'New York');
    expect(typed.values).to.deep.equal({ city: 'New York', unit: 'f' });
    await composer.fill('/w days:3');
    await composer.press('Enter');
    const dialog = page.getByRole('dialog', { name: '/weather' });
    expect(await dialog.getByLabel('days (optional)').inputValue()).to.equal('3');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await composer.fill('/w Bergen days:9');
    await composer.press('Enter');
    await dialog.getByRole('alert').first().waitFor();
    expect(await dialog.getByRole('combobox', { name: 'city' }).inputValue()).to.equal('Bergen');
    await dialog.getByLabel('days (optional)').fill('2');
    await dialog.getByRole('button', { name: 'Run it' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { values } = await ear.next('interaction:created', (one) => one.values.city === 'Bergen');
    expect(values).to.deep.equal({ city: 'Bergen', days: 2 });
  });

  it('are begun while the one before is on its way', async () => {
    const { page } = bob;
    const composer = page.locator('#composer');
    const held = Promise.withResolvers<void>();
    await page.route('**/commands', async (route) => {
      await held.promise;
      await route.continue();
    });
    const asked = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/commands'));
    await composer.fill('/w Lima');
    await composer.press('Enter');
    await asked;
    await composer.fill('/w days:4');
    await composer.press('Enter');
    const dialog = page.getByRole('dialog', { name: '/weather' });
    expect(await dialog.getByLabel('days (optional)').inputValue()).to.equal('4');
    held.resolve();
    await ear.next('interaction:created', (one) => one.values.city === 'Lima');
    await page.locator('.toast', { hasText: '/weather was sent' }).waitFor();
    await dialog.getByRole('combobox', { name: 'city' }).fill('Quito');
    await dialog.getByRole('button', { name: 'Run it' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { values } = await ear.next('interaction:created', (one) => one.values.city === 'Quito');
    expect(values).to.deep.equal({ city: 'Quito', days: 4 });
    await page.unroute('**/commands');
  });

  it('are kept from people by those who manage the server', async () => {
    const { page } = alice;
    await alice.open(`/app/s/${here.server.id}/manage/agents`);
    await page.locator('main').getByRole('button', { name: 'Channels' }).click();
    await page.getByRole('button', { name: 'Change /weather' }).click();
    const dialog = page.getByRole('dialog', { name: '/weather' });
    await dialog.getByRole('checkbox', { name: 'Only some may use it' }).check();
    await dialog.getByRole('checkbox', { name: 'Moderators' }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Admins and Moderators').waitFor();
    const listed = async () => (await here.bob.get(`/api/channels/${here.channel.id}/slash-commands`)).body.commands;
    expect(await listed()).to.deep.equal([]);
    expect(alice.complaints).to.deep.equal([]);
  });
});
