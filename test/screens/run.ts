import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import sharp from 'sharp';
import { runEnding } from '../rig/ending.ts';
import { until } from '../rig/until.ts';
import { startCluster } from '../world/nodes.ts';
import type { Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type Visitor, visitor } from '../world/visitor.ts';
import { done } from './done.ts';
import { useFonts } from './fonts.ts';
import { emptyScreens, gateScreens, phoneScreens, type Screen, screensOf } from './screens.ts';
import { furnishTeam, type Team } from './team.ts';

/** `npm run screenshots`: pictures of the screens, made anew, in docs/screens, and the page that shows them. */

const folder = path.resolve(import.meta.dirname, '../../docs/screens');
/** Of all pictures. */
const mostBytes = 1_000_000;
/** Tried in turn until all of them have room. */
const qualities = [80, 70, 60, 50, 40, 30, 20];
/** How large pictures are, at most. */
const shown = { width: 960, height: 780, fit: 'inside' as const, withoutEnlargement: true };

const desk = { viewport: { width: 1280, height: 800 } };
const phone = { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true };
const tablet = { viewport: { width: 820, height: 1100 }, hasTouch: true };

interface Shot {
  name: string;
  png: Buffer;
}

/** The times in the pictures are those of an afternoon, whenever they are made. */
function afternoon(): string {
  const ahead = 16 - new Date().getUTCHours();
  const hours = ahead < -11 ? ahead + 24 : ahead;
  // The signs of these names are those of POSIX.
  return `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
}

class Camera {
  readonly shots: Shot[] = [];
  private readonly team: Team;

  constructor(team: Team) {
    this.team = team;
  }

  /** Takes pictures of screens, as someone sees them. @param look what their names begin with */
  async take(who: Person | null, screens: Screen[], options: BrowserContextOptions, look = ''): Promise<void> {
    const usual = { colorScheme: 'light' as const, reducedMotion: 'reduce' as const, timezoneId: afternoon() };
    const node = this.team.people.maya.node;
    const one = await visitor(node, who, { ...usual, ...options });
    if (who) await one.open('/app/friends');
    for (const { name, path: to, shows } of screens) {
      if (who) await one.go(to);
      else await one.page.goto(node.url.replace('127.0.0.1', 'localhost') + to);
      await one.page.locator(shows).first().waitFor();
      await this.snap(one, look + name);
    }
    await one.close();
  }

  /** Takes a picture of a page as it stands. */
  async snap({ page }: Visitor, name: string): Promise<void> {
    // Those that nobody sees are loaded when they come into view.
    const loaded = `[...document.images].every((one) => one.complete || !one.checkVisibility() || one.getBoundingClientRect().top > innerHeight)`;
    await until(async () => (await page.evaluate(loaded)) === true);
    // Apps, too.
    await Promise.all(page.frames().map((frame) => frame.waitForLoadState()));
    await page.evaluate('new Promise((done) => setTimeout(done, 300))');
    this.shots.push({ name, png: await page.screenshot() });
  }
}

/** What opens over a screen. */
async function overlays(camera: Camera, { people, server, channels }: Team): Promise<void> {
  const options = { ...desk, colorScheme: 'light' as const, reducedMotion: 'reduce' as const, timezoneId: afternoon() };
  const one = await visitor(people.maya.node, people.maya, options);
  await one.open(`/app/s/${server.id}/${channels.engineering}`);
  await one.page.locator('article[data-id]').first().waitFor();
  await one.page.keyboard.press('Control+k');
  await one.page.getByRole('option').first().waitFor();
  await camera.snap(one, 'go-to');
  await one.page.keyboard.press('Escape');
  await one.page.getByRole('button', { name: 'Insert an emoji' }).click();
  await one.page.locator(':popover-open').waitFor();
  await camera.snap(one, 'emoji');
  await one.page.keyboard.press('Escape');
  await one.page.locator('article[data-id] .author').first().click();
  await camera.snap(one, 'profile-card');
  await one.close();
}

/** Small enough together. */
async function compressed(shots: Shot[]): Promise<{ name: string; bytes: Buffer }[]> {
  for (const quality of qualities) {
    const files = await Promise.all(
      shots.map(async ({ name, png }) => {
        const picture = sharp(png).resize(shown);
        return { name, bytes: await picture.webp({ quality, effort: 6 }).toBuffer() };
      }),
    );
    const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
    process.stdout.write(`quality ${quality}: ${files.length} pictures of ${total} bytes\n`);
    if (total <= mostBytes) return files;
  }
  throw new Error('The pictures are too many to be small.');
}

const page = (names: string[]) => `# Screens

The screens of the web client, with the server of a small company in it. \`npm run screenshots\` makes these pictures anew.

${names.map((name) => `## ${name}\n\n![${name}](${name}.webp)\n`).join('\n')}`;

/** These look like another one. */
const alike = new Set([
  ...['new-channel', 'message-from-link', 'group', 'not-found', 'later-done', 'later-scheduled', 'later-drafts'],
  ...['not-sent', 'settings-devices', 'settings-invites', 'settings-tokens', 'server-messages', 'server-invites'],
  ...['server-agents', 'files-folder', 'app', 'operators-reports', 'operators-bans', 'operators-servers'],
  ...['operators-trials', 'operators-log', 'sign-in-by-code', 'register-by-invitation', 'forgot-password'],
  ...['verify-email', 'undo-email'],
]);

/** Nothing is left to decide, and nobody is asked to confirm an address: a line about that is in each picture otherwise. */
async function calm({ people: { maya }, server: { id } }: Team): Promise<void> {
  for (const held of await done(maya.get(`/api/servers/${id}/held`)))
    await done(maya.post(`/api/held/${held.heldId}/reject`));
  for (const report of await done(maya.get(`/api/servers/${id}/reports`)))
    if (report.status === 'open') await done(maya.post(`/api/reports/${report.id}/decide`, { action: 'dismiss' }));
}

async function photograph(team: Team, databaseUrl: string): Promise<Shot[]> {
  const { maya, leila } = team.people;
  await query(databaseUrl, 'UPDATE users SET email_verified_at = created_at');
  // Those who are there are seen to be.
  for (const one of Object.values(team.people)) await one.connect();
  const camera = new Camera(team);
  const all = screensOf(team);
  const best = (names: string[]) => all.filter(({ name }) => names.includes(name));
  const several = (screens: Screen[]) => screens.filter(({ name }) => !alike.has(name));
  const isToDecide = ({ name }: Screen) => ['server-held', 'server-reports'].includes(name);
  await camera.take(maya, all.filter(isToDecide), desk);
  await calm(team);
  await camera.take(maya, several(all.filter((one) => !isToDecide(one))), desk);
  const isEmpty = ({ name }: Screen) => ['new-server', 'no-threads', 'no-files'].includes(name);
  await camera.take(leila, (await emptyScreens(team)).filter(isEmpty), desk);
  await camera.take(null, several(gateScreens(team)), desk);
  await overlays(camera, team);
  const dark = { ...desk, colorScheme: 'dark' as const };
  await camera.take(maya, best(['channel', 'thread', 'channel-with-pictures']), dark, 'dark-');
  await camera.take(maya, phoneScreens(team), phone);
  await camera.take(maya, best(['channel', 'thread', 'channel-with-poll', 'settings-profile']), phone, 'phone-');
  await camera.take(maya, best(['channel', 'server-members']), tablet, 'tablet-');
  await maya.patch('/api/auth/me', { language: 'ar' });
  await camera.take(maya, best(['channel']), desk, 'right-to-left-');
  for (const one of Object.values(team.people)) one.hangUp();
  return camera.shots;
}

async function main(): Promise<void> {
  await useFonts();
  const cluster = await startCluster({ nodes: 1 });
  const [node] = cluster.nodes;
  if (!node) throw new Error('no node');
  const shots = await photograph(await furnishTeam(node, cluster.databaseUrl), cluster.databaseUrl);
  await cluster.stop();
  const files = await compressed(shots);
  await mkdir(folder, { recursive: true });
  for (const old of await readdir(folder)) await rm(path.join(folder, old));
  for (const { name, bytes } of files) await writeFile(path.join(folder, `${name}.webp`), bytes);
  await writeFile(path.join(folder, 'README.md'), page(files.map(({ name }) => name)));
}

try {
  await main();
} finally {
  await runEnding();
}
// Nothing that a browser or a database leaves behind keeps it from ending.
process.exit();
