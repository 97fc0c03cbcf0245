import { pkce, registered } from '../oauth-apps/dance.ts';
import { done } from './done.ts';
import type { Team } from './team.ts';

/** A page of the client, with what shows, in each language, when all of it is there. */
export interface Screen {
  /** As its picture is called. */
  name: string;
  path: string;
  shows: string;
}

const settings: [section: string, shows: string][] = [
  ['profile', 'input[name=displayName]'],
  ['account', '.body form'],
  ['devices', '.people li'],
  ['notifications', '.levels .field'],
  ['agents', '.people li'],
  ['tokens', 'text=Nightly report'],
  ['invites', '.people li'],
];

const server: [section: string, shows: string][] = [
  ['overview', 'input[name=name]'],
  ['members', 'text=@kenji'],
  ['roles', 'text=On call'],
  ['channels', '.people li'],
  ['messages', '.body form'],
  ['invites', '.people li'],
  ['agents', 'text=Builds'],
  ['emoji', 'text=:fern:'],
  ['filters', 'text=casino'],
  ['held', 'text=casino'],
  ['reports', '.people li'],
  ['audit', '.log > li'],
];

const operators: [section: string, shows: string][] = [
  ['overview', '.tiles'],
  ['reports', '.page .body'],
  ['people', '.people li'],
  ['bans', '.page .body'],
  ['servers', '.people li'],
  ['nodes', '.chart path[d^=M]'],
  ['storage', '.facts'],
  ['jobs', 'text=The mail server did not answer.'],
  ['trials', '.body form'],
  ['settings', '.settings-in-force li'],
  ['log', '.log > li'],
];

const article = '.conversation article[data-id]';

/** Everything that someone who is signed in can go to. */
export function screensOf(team: Team): Screen[] {
  const home = `/app/s/${team.server.id}`;
  return [...talks(team, home), ...lists(team), ...sections(team, home)];
}

const screen = (name: string, path: string, shows: string): Screen => ({ name, path, shows });

function talks({ channels, dm, group, thread, opening }: Team, home: string): Screen[] {
  return [
    screen('channel', `${home}/${channels.engineering}`, article),
    screen('channel-with-poll', `${home}/${channels.general}`, article),
    screen('channel-with-pictures', `${home}/${channels.design}`, `${article} img`),
    screen('new-channel', `${home}/${channels.product}`, article),
    screen('message-from-link', `${home}/${channels.engineering}/${opening}`, article),
    screen('thread', `${home}/${channels.engineering}/thread/${thread}`, '.thread article[data-id]'),
    screen('direct-messages', `/app/dm/${dm}`, article),
    screen('group', `/app/dm/${group}`, article),
    screen('not-found', `${home}/00000000-0000-4000-8000-000000000000`, 'main .blank h1'),
  ];
}

function lists({ server: { inviteCode } }: Team): Screen[] {
  return [
    screen('friends', '/app/friends', '.people li'),
    screen('notifications', '/app/notifications', 'main .found a'),
    screen('threads', '/app/threads', 'text=The price query'),
    screen('discover', '/app/discover', '.cards li'),
    screen('later-saved', '/app/later/saved', '.held > li'),
    screen('later-done', '/app/later/done', '.held > li'),
    screen('later-scheduled', '/app/later/scheduled', '.held > li'),
    screen('later-drafts', '/app/later/drafts', '.people li'),
    screen('not-sent', '/app/not-sent', 'main .page'),
    screen('invitation', `/app/invite/${inviteCode}`, 'main .blank h1'),
  ];
}

function sections({ agent, folder, app }: Team, home: string): Screen[] {
  return [
    ...settings.map(([name, shows]) => screen(`settings-${name}`, `/app/settings/${name}`, shows)),
    screen('settings-bot', `/app/settings/agents/${agent}`, '.page .body form'),
    ...server.map(([name, shows]) => screen(`server-${name}`, `${home}/manage/${name}`, shows)),
    screen('server-home', `${home}/home`, 'main iframe'),
    screen('files', `${home}/files`, 'text=how-we-work.md'),
    screen('files-folder', `${home}/files/${folder}`, 'text=spring.md'),
    screen('apps', `${home}/apps`, 'main >> text=Stations'),
    screen('app', `${home}/apps/${app}`, 'main iframe'),
    ...operators.map(([name, shows]) => screen(`operators-${name}`, `/app/admin/${name}`, shows)),
  ];
}

/** What is the list alone on a phone. */
export const phoneScreens = ({ server: { id } }: Team): Screen[] => [
  screen('phone-messages', '/app/messages', '.side .list'),
  screen('phone-channels', `/app/s/${id}`, '.side .list'),
];

/** What those see who are not signed in. */
export function gateScreens(team: Team): Screen[] {
  return [
    screen('sign-in', '/app/login', 'form'),
    screen('register', '/app/register', 'form'),
    screen('sign-in-by-code', '/app/code', 'form'),
    screen('forgot-password', '/app/forgot', 'form'),
    screen('register-by-invitation', `/app/invite/${team.server.inviteCode}`, 'text=Fernwood Bikes'),
    screen('reset-password', '/app/reset-password?token=unknown', 'form'),
    screen('verify-email', '/app/verify-email', 'h1'),
    screen('undo-email', '/app/undo-email', 'h1'),
  ];
}

/** Where an app asks to act for someone who is signed in; it is loaded by its address alone. */
export async function consentScreen({ people }: Team): Promise<Screen> {
  const app = await registered(people.jonas, { name: 'Calendar' });
  const asked = { client_id: app.clientId, redirect_uri: app.redirectUris[0], response_type: 'code' };
  const proof = { code_challenge: pkce().challenge, code_challenge_method: 'S256' };
  const query = new URLSearchParams({ ...asked, ...proof, scope: 'openid messages:read' });
  return screen('allow-an-app', `/app/authorize?${query}`, 'h1');
}

/** A server that someone has only just made, and their empty lists. */
export async function emptyScreens({ people }: Team): Promise<Screen[]> {
  const { id } = await done(people.leila.post('/api/servers', { name: 'Book club' }));
  const [channel] = await done(people.leila.get(`/api/servers/${id}/channels`));
  const home = `/app/s/${id}`;
  const own = ['notifications', 'threads', 'later/saved', 'later/scheduled', 'later/drafts', 'later/done'];
  return [
    screen('new-server', `${home}/${channel.id}`, '.beginning .first-steps'),
    ...own.map((name) => screen(`no-${name.replace('/', '-')}`, `/app/${name}`, 'main .page')),
    ...['files', 'apps'].map((name) => screen(`no-${name}`, `${home}/${name}`, 'main .page')),
    ...server.map(([name]) => screen(`new-server-${name}`, `${home}/manage/${name}`, 'main .page .body')),
  ];
}
