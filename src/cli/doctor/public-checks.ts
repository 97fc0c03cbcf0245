import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { clock } from '../../infrastructure/clock.ts';
import { doctorHeader, doctorPath, doctorToken } from '../../infrastructure/doctor-token.ts';
import { version } from '../../infrastructure/version.ts';
import { type Settings, siteOf } from '../../settings/settings.ts';
import { type Check, ok, problem, reasonOf, warning } from './check.ts';
import { isHere } from './hosts.ts';
import { proxyChecks } from './proxy-checks.ts';
import { answerMs, forgedAddress, type Seen, seenSchema } from './seen.ts';
import { socketChecks } from './socket-checks.ts';

/** As many nodes are met, one hopes. */
const looks = 4;
const farMs = 5000;
const dayMs = 24 * 60 * 60 * 1000;
const soonDays = 14;

/** Whether people reach the nodes by the address that is told to them. */
export async function publicChecks(settings: Settings): Promise<Check[]> {
  const site = new URL(siteOf(settings, settings.port));
  const named = settings.publicUrl === null ? [unnamed(settings, site)] : await nameChecks(site);
  if (named.some(({ status }) => status === 'problem')) return named;
  const isTls = site.protocol === 'https:';
  const [certificate, answers] = await Promise.all([isTls ? certificateChecks(site) : [], nodeChecks(settings, site)]);
  return [...named, ...certificate, ...answers];
}

function unnamed({ environment }: Settings, site: URL): Check {
  const text = `there is no PUBLIC_URL: links lead to ${site.origin}`;
  if (environment !== 'production') return ok('public', text);
  return warning('public', text, 'Set PUBLIC_URL to the address that people use, such as https://chat.example.com.');
}

async function nameChecks({ hostname, protocol, origin }: URL): Promise<Check[]> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const secure =
    protocol === 'https:' || isHere(host)
      ? ok('public', `people use ${origin}`)
      : warning('public', `people use ${origin}, without TLS`, 'Passwords pass in the clear: serve it by https.');
  if (isIP(host)) return [secure];
  try {
    const found = await lookup(host, { all: true });
    const addresses = found.map(({ address }) => address);
    const isOnlyHere = addresses.every(isHere) && !isHere(host);
    const shown = `${host} is at ${addresses.join(', ')}`;
    if (isOnlyHere)
      return [secure, warning('public.dns', shown, 'Others get to their own machine by it: correct its DNS entry.')];
    return [secure, ok('public.dns', shown)];
  } catch (error) {
    const advice = 'Add an A or AAAA record for it, or correct PUBLIC_URL.';
    return [secure, problem('public.dns', `${host} has no address (${reasonOf(error)})`, advice)];
  }
}

/** When the certificate ends; whether it is trusted is told by the requests. */
async function certificateChecks({ hostname, port }: URL): Promise<Check[]> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const until = await new Promise<string | undefined>((resolve) => {
    const socket = connect({ host, port: Number(port) || 443, servername: isIP(host) ? '' : host, timeout: answerMs });
    const end = (text?: string) => {
      socket.destroy();
      resolve(text);
    };
    socket.once('secureConnect', () => end(socket.getPeerCertificate().valid_to));
    socket.once('timeout', () => end());
    socket.once('error', () => end());
  });
  const ms = until === undefined ? Number.NaN : Date.parse(until);
  if (Number.isNaN(ms)) return [];
  const days = Math.floor((ms - clock.now()) / dayMs);
  const text = `its certificate is valid for ${days} days`;
  if (days >= soonDays) return [ok('public.certificate', text)];
  return [warning('public.certificate', text, 'See why it was not renewed yet.')];
}

async function nodeChecks(settings: Settings, site: URL): Promise<Check[]> {
  const seen: Seen[] = [];
  for (let look = 0; look < looks; look++) {
    const found = await asked(settings, site);
    if (!('nodeId' in found)) return [found];
    seen.push(found);
  }
  const [first] = seen;
  if (!first) return [];
  const nodes = new Set(seen.map(({ nodeId }) => nodeId));
  return [
    reachedCheck(seen, nodes.size),
    clockCheck(first),
    ...proxyChecks(settings, site, first),
    ...(await socketChecks(site, nodes.size)),
  ];
}

/** What a node sees of a request through the public URL; a line, if none does. */
async function asked(settings: Settings, site: URL): Promise<Seen | Check> {
  const headers = {
    [doctorHeader]: doctorToken(settings.jwtSecrets, clock.now()),
    'x-forwarded-for': forgedAddress,
    // Proxies open connections to several nodes: a new one each time gets around.
    connection: 'close',
  };
  try {
    const signal = AbortSignal.timeout(answerMs);
    const response = await fetch(new URL(doctorPath, site), { headers, redirect: 'manual', signal });
    const text = (await response.text()).slice(0, 10_000);
    const said = seenSchema.safeParse(parsedOrNull(text));
    return said.success ? said.data : strange(response, site);
  } catch (error) {
    return unreachable(settings, site, error);
  }
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function strange({ status, headers }: Response, { origin }: URL): Check {
  const to = headers.get('location');
  if (to !== null)
    return problem(
      'public.node',
      `${origin} leads elsewhere, to ${to.slice(0, 200)}`,
      'Set PUBLIC_URL to the address it leads to.',
    );
  if (status === 404)
    return problem(
      'public.node',
      `what answers at ${origin} is no node of this installation`,
      'Run this with the settings of the nodes (the same JWT_SECRET), on a machine with the right time, or correct PUBLIC_URL or the proxy; nodes of earlier versions answer so, too.',
    );
  const isProxy = [502, 503, 504].includes(status);
  const advice = isProxy
    ? 'See whether the nodes run, and where the proxy passes requests to.'
    : 'See the log of the proxy.';
  return problem('public.node', `${origin} answers with ${status}`, advice);
}

function unreachable({ publicUrl, environment }: Settings, { origin }: URL, error: unknown): Check {
  const text = `${origin} cannot be reached (${reasonOf(error)})`;
  const advice = 'Start the server, and see whether a firewall or the certificate is in the way; then run this again.';
  return publicUrl === null && environment !== 'production'
    ? warning('public.node', text, advice)
    : problem('public.node', text, advice);
}

function reachedCheck(seen: Seen[], nodes: number): Check {
  const versions = new Set(seen.map((one) => one.version));
  const shown = nodes === 1 ? 'a node answers' : `${nodes} nodes answer`;
  if (versions.size === 1 && versions.has(version)) return ok('public.node', `${shown}, of version ${version}`);
  const others = [...versions].join(', ');
  return warning(
    'public.node',
    `${shown}, of version ${others}; this is ${version}`,
    'Finish the upgrade of all nodes.',
  );
}

/** Nodes keep PostgreSQL's time: a far one here means that this machine, or theirs, is wrong. */
function clockCheck({ time }: Seen): Check {
  const off = Math.round((time - clock.now()) / 1000);
  if (Math.abs(off) * 1000 <= farMs) return ok('public.clock', 'the node has the same time');
  return warning('public.clock', `the node is ${off} s off this machine`, 'Set the clocks of all machines by NTP.');
}
