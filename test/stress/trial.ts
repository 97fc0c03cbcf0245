import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startBalancer } from '../rig/balancer.ts';
import { checkLogs, type Fault } from './faults.ts';
import { Ledger } from './ledger.ts';
import { checkOwnRooms, checkPictures, checkPresence } from './pictures.ts';
import { pollReceiver, type Receiver, rawReceiver, returningReceiver, type Seat } from './receivers.ts';
import { insist, Sender, ways } from './senders.ts';
import type { Site } from './site.ts';
import { stockReceiver } from './stock-receiver.ts';
import { type Kind, kinds, type Track } from './track.ts';

/** How heavy a trial is. */
export interface Load {
  seconds: number;
  channels: number;
  /** Of each kind. */
  receivers: number;
  senders: number;
  /** Between two messages of a sender, in milliseconds. */
  pauseMs: number;
}

export interface Person {
  id: string;
  token: string;
}

/** One fault, and everyone who lives through it. */
export interface Trial {
  ledger: Ledger;
  channelIds: string[];
  speakers: Person[];
  listeners: Person[];
  receivers: Receiver[];
  senders: Sender[];
  owner: Person;
  serverId: string;
  /** The private ones among its channels. */
  hiddenIds: string[];
  /** Whether a channel is the server's, and no DM. */
  isOfServer(channelId: string): boolean;
}

/** What came of it. */
export interface Outcome {
  fault: string;
  sent: number;
  acknowledged: number;
  /** Sends acknowledged per second. */
  rate: number;
  kinds: Record<Kind, { due: number; got: number }>;
  duplicates: number;
  disordered: number;
  p50: number;
  p99: number;
  slowest: number;
  returns: number;
  recovered: number;
  memory: number;
  broken: string[];
  story: string[];
}

/** Where a trial is, for whoever has to end it before it is through. */
export interface Progress {
  step: string;
  /** Since when, as `Date.now()` has it. */
  since: number;
  ledger?: Ledger;
}

/** A healed room may take so long (contract §10.3), and a busy machine a little more. */
const healedMs = 2500;
const settleMs = 15_000;
const channelsEach = 6;
/** A step that takes so much longer than its time hangs. */
const stepMs = 60_000;

/** Runs one fault and judges it. @throws Error when a part of it does not come to its end */
export async function runTrial(
  site: Site,
  fault: Fault,
  load: Load,
  progress: Progress = { step: '', since: 0 },
): Promise<Outcome> {
  const step = <T>(name: string, done: Promise<T>, ms = 0): Promise<T> => {
    Object.assign(progress, { step: name, since: Date.now() });
    return inTime(name, done, ms + stepMs);
  };
  const ms = load.seconds * 1000;
  const trial = await step('people and channels are made', gather(site, fault, load));
  const { ledger } = trial;
  progress.ledger = ledger;
  await step('receivers take their seats', seatReceivers(site, fault, load, trial));
  const begun = Date.now();
  trial.senders.push(...startSenders(site, fault, load, trial));
  await step('the fault lasts', fault.run(site, ms, trial), ms);
  await step('senders come to their end', Promise.all(trial.senders.map((sender) => sender.stop())));
  const seconds = (Date.now() - begun) / 1000;
  await step('what was sent arrives', settle(trial));
  await step('own rooms are compared', checkOwnRooms(site, trial));
  await step('what events made is compared', checkPictures(site, trial));
  if (fault.lively) await step('presence is compared', checkPresence(site, trial));
  for (const receiver of trial.receivers) receiver.stop();
  await step('the log is read', ledger.audit(site.postgres.url, trial.channelIds));
  const memory = Math.max(...site.nodes.map((node) => node.memory));
  const outcome = judge(trial, fault, seconds, memory);
  checkLogs(site, ledger);
  return outcome;
}

async function gather(site: Site, fault: Fault, load: Load): Promise<Trial> {
  const door = site.door.url;
  const owner = await register(door);
  const server = await create({ url: door, ...owner }, '/api/servers', { name: 'Stress' });
  const people: Person[] = [];
  for (let i = 0; i < load.senders + 4; i++) {
    const person = await register(door);
    await create({ url: door, ...person }, `/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    people.push(person);
  }
  const channelIds: string[] = [];
  const hiddenIds: string[] = [];
  for (let i = 0; i < load.channels; i++) {
    const path = `/api/servers/${server.id}/channels`;
    const isPrivate = fault.lively === true && i % 3 === 0;
    const { id } = await create({ url: door, ...owner }, path, { name: `room-${i}`, isPrivate });
    channelIds.push(id);
    if (!isPrivate) continue;
    hiddenIds.push(id);
    for (const { id: userId } of people)
      await create({ url: door, ...owner }, `/api/channels/${id}/members`, { userId });
  }
  const ofServer = new Set(channelIds);
  return {
    ledger: new Ledger(),
    channelIds,
    speakers: people.slice(0, load.senders),
    listeners: people.slice(load.senders),
    receivers: [],
    senders: [],
    owner,
    serverId: server.id,
    hiddenIds,
    isOfServer: (id) => ofServer.has(id),
  };
}

async function register(url: string): Promise<Person> {
  const username = `u${randomBytes(6).toString('hex')}`;
  const account = { email: `${username}@example.com`, password: 'correct horse', username };
  const { accessToken, user } = await create({ url, token: '' }, '/api/auth/register', account);
  return { id: user.id, token: accessToken };
}

async function create(seat: { url: string; token: string }, path: string, body: object) {
  // What the fault before has cut off may not be back yet.
  const { status, answer } = await insist(seat, 'POST', path, body);
  if (status !== 201 && status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(answer)}`);
  return answer;
}

async function seatReceivers(site: Site, fault: Fault, load: Load, trial: Trial): Promise<void> {
  const { channelIds, listeners, ledger, receivers } = trial;
  const seated: Promise<Receiver>[] = [];
  for (let i = 0; i < load.receivers * kinds.length; i++) {
    const kind = kinds[i % kinds.length] ?? 'raw';
    const node = Math.floor(i / kinds.length) % site.nodes.length;
    const { id: userId = '', token = '' } = listeners[i % listeners.length] ?? {};
    const ids = channelIds.filter((_, c) => (c + i) % channelIds.length < channelsEach);
    const seat = { url: site.door.url, userId, token, channelIds: ids };
    const straight = { ...seat, url: site.nodes[node]?.url ?? '' };
    const closed = (track: Track) => {
      track.end();
      if (!touches(fault, node)) ledger.broken.push(`an undisturbed socket at node ${node} was closed`);
    };
    if (kind === 'raw') seated.push(rawReceiver(straight, ledger, closed));
    else if (kind === 'stock' && fault.lively && node % 2 === 0) seated.push(byPolling(site, seat));
    else if (kind === 'stock') seated.push(stockReceiver(seat));
    else if (kind === 'poll') seated.push(pollReceiver({ ...seat, channelIds: ids.slice(0, 3) }, ledger));
    else seated.push(returningReceiver(seat, kind, ledger));
  }
  receivers.push(...(await Promise.all(seated)));
}

async function byPolling(site: Site, seat: Seat): Promise<Receiver> {
  const door = await startBalancer(site.wires.map((wire) => wire.port));
  return stockReceiver(seat, { door, nodes: site.nodes.length });
}

function touches(fault: Fault, node: number): boolean {
  return fault.touches === 'all' || (fault.touches?.includes(node) ?? false);
}

function startSenders(site: Site, fault: Fault, load: Load, trial: Trial): Sender[] {
  const { pauseMs } = load;
  const { padding = 0, lively = false } = fault;
  return trial.speakers.map(({ id: userId, token }, i) => {
    const way = ways[i % ways.length] ?? 'nonce';
    const seat = { url: site.door.url, userId, token, channelIds: [...trial.channelIds] };
    return new Sender(seat, trial.ledger, { name: `s${i}`, way, pauseMs, padding, lively });
  });
}

async function inTime<T>(name: string, done: Promise<T>, ms: number): Promise<T> {
  const late = new AbortController();
  const limit = delay(ms, undefined, { signal: late.signal }).then(() => {
    throw new Error(`This does not come to its end in ${ms} ms: ${name}.`);
  });
  return Promise.race([done, limit]).finally(() => late.abort());
}

/** Waits until everyone has everything, as long as that may take at most. */
async function settle({ receivers, ledger }: Trial): Promise<void> {
  const acknowledged = ledger.byChannel();
  const whole = () =>
    receivers.every(({ track }) => {
      const { due, got } = track.count(acknowledged);
      return due === got;
    });
  for (const end = Date.now() + ledger.patience(settleMs); !whole(); await delay(100)) {
    if (Date.now() < end) continue;
    ledger.broken.push('not everything that was acknowledged has arrived');
    return;
  }
}

function judge(trial: Trial, fault: Fault, seconds: number, memory: number): Outcome {
  const { ledger, receivers } = trial;
  const acknowledged = ledger.byChannel();
  const zero = () => ({ due: 0, got: 0 });
  const outcome: Outcome = {
    fault: fault.name,
    sent: ledger.sent,
    acknowledged: ledger.messages.size,
    rate: ledger.messages.size / seconds,
    kinds: { raw: zero(), stock: zero(), after: zero(), resume: zero(), poll: zero() },
    duplicates: 0,
    disordered: 0,
    p50: ledger.latency(0.5),
    p99: ledger.latency(0.99),
    slowest: ledger.slowest,
    returns: 0,
    recovered: 0,
    memory,
    broken: ledger.broken,
    story: ledger.story,
  };
  for (const { track } of receivers) add(outcome, track, acknowledged);
  for (const { track } of receivers) ledger.broken.push(...track.notes.slice(0, 3));
  const { broken, kinds: counts } = outcome;
  for (const kind of kinds) {
    const { due, got } = counts[kind];
    if (got < due) broken.push(`${kind}: ${due - got} of ${due} deliveries are missing`);
  }
  if (outcome.duplicates > 0) broken.push(`${outcome.duplicates} events came twice`);
  if (outcome.disordered > 0) broken.push(`${outcome.disordered} events came out of order or behind a hole`);
  if (fault.readable && outcome.slowest > healedMs) broken.push(`a delivery took ${outcome.slowest} ms`);
  const lost = outcome.returns - outcome.recovered;
  if (fault.recovers && lost > 0) broken.push(`${lost} of ${outcome.returns} stock clients were not recovered`);
  return outcome;
}

function add(outcome: Outcome, track: Track, acknowledged: Map<string, number[]>): void {
  const { due, got } = track.count(acknowledged);
  outcome.kinds[track.kind].due += due;
  outcome.kinds[track.kind].got += got;
  outcome.duplicates += track.duplicates;
  outcome.disordered += track.disordered;
  if (track.kind !== 'stock') return;
  outcome.returns += track.returns;
  outcome.recovered += track.recovered;
}
